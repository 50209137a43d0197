// Pipelines from the camera of the virtual machine to its display.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "gl_pictures.h"
#include "open_files.h"

namespace sightglass::test {

// Unplugs the camera, even if it is in use. It is plugged in again for the next test.
void unplug_camera();

// Passes the frames of a pipeline, read back, to `take`, until the pipeline ends or `take` returns false.
void take_pictures(const std::string& description, const std::function<bool(Rgba)>& take);
// Returns the last frame of a pipeline that ends by itself; an empty image if there is none.
Rgba last_picture(const std::string& description);

// Runs a pipeline that ends by itself under the tracer zerocopy, in a separate process. Returns its exit status, 88 if
// anything was copied.
int traced(const std::string& description);

// Plays one pipeline description, whose last element is named "screen".
class CameraPipeline {
 public:
  explicit CameraPipeline(const std::string& description);
  ~CameraPipeline();
  CameraPipeline(const CameraPipeline&) = delete;
  CameraPipeline& operator=(const CameraPipeline&) = delete;

  void play();
  // Stops with the newest frame on the display.
  void pause();
  // Waits until this many frames in total have reached the display. Returns false on a timeout or if the pipeline
  // fails.
  bool wait_for_frames(int frames, int seconds);
  // Waits for the end of the stream. The last frame stays on the display. Returns the text of the error if there is
  // one.
  std::string wait_for_end(int seconds);
  // Sets another format downstream of the element named "format".
  void set_format(const std::string& caps);
  // Returns the negotiated caps there; empty before the first frame.
  std::string format() const;

  GstElement* pipeline() const { return pipeline_; }
  int frames() const { return frames_; }
  // Returns the size of the newest frame at the display.
  int32_t width() const { return width_; }
  // The upload methods of glupload for frames of all pipelines since this one was created, and the copies of kmssink.
  static int imported();
  static int copied();
  // The open files when frame `kSettled` reached the display.
  static constexpr int kSettled = 30;
  std::optional<OpenFiles> settled() const { return settled_; }

 private:
  static GstPadProbeReturn count(GstPad* pad, GstPadProbeInfo* info, gpointer self);

  GstElement* pipeline_ = nullptr;
  std::atomic<int> frames_ = 0, width_ = 0;
  std::optional<OpenFiles> settled_;
};

}  // namespace sightglass::test

// Pipelines from the virtual machine's camera to its screen.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "gl_pictures.h"
#include "open_files.h"

namespace sightglass::test {

// Pulls the camera out, whoever is using it. It is there again for the next test.
void unplug_camera();

// Hands out the pictures of a pipeline, read back, until it ends or `take` returns false.
void take_pictures(const std::string& description, const std::function<bool(Rgba)>& take);
// The last picture of a pipeline that ends by itself; an empty one if there is none.
Rgba last_picture(const std::string& description);

// What the tracer zerocopy says of a pipeline that ends by itself, in a process of its own: its exit status, 88 if
// anything was copied.
int traced(const std::string& description);

// Plays one description, in which the last element is named "screen".
class CameraPipeline {
 public:
  explicit CameraPipeline(const std::string& description);
  ~CameraPipeline();
  CameraPipeline(const CameraPipeline&) = delete;
  CameraPipeline& operator=(const CameraPipeline&) = delete;

  void play();
  // Stops with the newest frame on the screen.
  void pause();
  // Until so many frames in all have reached the screen; false when that takes longer or the pipeline fails.
  bool wait_for_frames(int frames, int seconds);
  // To the end of the stream, after which the last frame stays on the screen; the error's text if it ends with one.
  std::string wait_for_end(int seconds);
  // Another format behind the element named "format".
  void set_format(const std::string& caps);
  // What was agreed on there; empty before the first frame.
  std::string format() const;

  GstElement* pipeline() const { return pipeline_; }
  int frames() const { return frames_; }
  // The size of the newest frame at the screen.
  int32_t width() const { return width_; }
  // What glupload did with the frames of all pipelines since this one was made, and kmssink's copies.
  static int imported();
  static int copied();
  // What was open when frame `kSettled` reached the screen.
  static constexpr int kSettled = 30;
  std::optional<OpenFiles> settled() const { return settled_; }

 private:
  static GstPadProbeReturn count(GstPad* pad, GstPadProbeInfo* info, gpointer self);

  GstElement* pipeline_ = nullptr;
  std::atomic<int> frames_ = 0, width_ = 0;
  std::optional<OpenFiles> settled_;
};

}  // namespace sightglass::test

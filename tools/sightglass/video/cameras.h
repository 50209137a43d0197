// The cameras that GStreamer finds, and jobs that wait for one that was unplugged.
#pragma once

#include <gst/gst.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "sightglass/status.h"
#include "video/gst_setup.h"

namespace sightglass::video {

// The cameras that GStreamer finds, and their formats.
struct CameraFormat {
  bool jpeg = false;   // each frame is a JPEG
  std::string format;  // of raw frames: "YUY2"; empty for JPEG
  int width = 0, height = 0;
  double rate = 0;  // the maximum, in frames per second; 0: unknown
  bool operator==(const CameraFormat&) const = default;
};

struct Camera {
  std::string name;    // "HD Webcam"
  std::string path;    // "/dev/video0"; empty if the camera does not have a device file
  std::string source;  // in gst-launch syntax: "v4l2src device=/dev/video0"
  std::vector<CameraFormat> formats;
  std::optional<bool> dmabuf;  // whether raw frames are available as DMABUFs; unset: unknown, such as for a busy camera
};

// In the order of GStreamer.
std::vector<Camera> find_cameras();

// The camera of that number (the N of /dev/videoN), path, or name. A part of a name suffices, in any case, if one
// camera has it. The error lists the cameras.
Result<Camera> choose_camera(const std::vector<Camera>& cameras, const std::string& wanted);

struct CameraWishes {
  int width = 0, height = 0;  // 0: any; 1280x720 is preferred
  double rate = 0;            // 0: any; 24 and more are preferred
};
// The format that meets the wishes best. Between formats of the same size and a sufficient rate, prefers raw frames,
// which need no decoder. Empty if the camera has no size and rate that was asked for.
std::optional<CameraFormat> choose_format(const std::vector<CameraFormat>& formats, const CameraWishes& wishes);

// "1280x720 at 30 frames per second, YUY2"
std::string to_string(const CameraFormat& format);

// Waits for a camera that was unplugged, and continues with it.
// Replaces the camera element of a running pipeline. The rest of the pipeline keeps running: a file continues, and a
// window keeps its last frame. All functions are called on the thread of the main loop.
class CameraKeeper {
 public:
  struct Settings {
    std::string text;                         // of the camera element, in gst-launch syntax
    std::function<bool()> available;          // whether the camera is there
    std::function<void(bool there)> changed;  // called when the camera is lost and when it is back
  };
  // `pipeline` outlives the keeper, and has an element with the name kCameraElement.
  CameraKeeper(GstElement* pipeline, Settings settings);
  ~CameraKeeper();
  CameraKeeper(const CameraKeeper&) = delete;
  CameraKeeper& operator=(const CameraKeeper&) = delete;

  // Whether the error means that the camera was lost. If it was, removes the element and begins to wait.
  bool handle_error(GstMessage* error);
  bool lost() const { return camera_ == nullptr; }
  // From now on, ends of stream reach the pipeline. If the camera is lost, ends the stream.
  void end_stream();

 private:
  void watch(GstElement* camera);
  void remove_camera();
  bool insert_camera();
  static GstPadProbeReturn on_data(GstPad* pad, GstPadProbeInfo* info, gpointer keeper);
  static gboolean on_timer(gpointer keeper);

  GstElement* const pipeline_;
  const Settings settings_;
  ElementPtr camera_;  // null while lost
  ElementPtr lost_;    // the last camera that was removed
  PadPtr downstream_;  // the pad that the camera was linked to
  guint timer_ = 0;    // runs while the camera is lost
  std::atomic<bool> seen_frame_ = false, ending_ = false;
};

// `sightglass devices`: the cameras of this machine.

void add_devices_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::video

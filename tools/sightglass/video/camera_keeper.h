// Waits for a camera that was unplugged, and continues with it.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <string>

#include "video/gst_objects.h"

namespace sightglass::video {

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

}  // namespace sightglass::video

// The cameras that GStreamer finds, and their formats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass::video {

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

}  // namespace sightglass::video

// The streams of a media file.
#pragma once

#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

struct MediaInfo {
  double seconds = 0;         // 0: unknown, or a still image
  int width = 0, height = 0;  // as in the file, not rotated
  bool still = false;         // the video is one image
  std::string orientation;    // of an image, as in the tag image-orientation; empty: upright
  std::string audio_caps;     // of the first audio stream, as in the file; empty if there is none
};

// Reads the start of a file. Fails if the file cannot be read, is damaged, is not media, or has no video, or if a
// decoder is missing.
Result<MediaInfo> inspect_media(const std::string& path);

}  // namespace sightglass::video

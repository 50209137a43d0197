// The streams of a media file.
#pragma once

#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

// What GStreamer may open while it decodes. A file names no other file and no address: it is decoded as what it is,
// and playlists are none of the things that it may be. A playlist at an address that the user gave may name only
// addresses of the network.

// The type of a file of media by its content, as in caps; empty if GStreamer does not recognize the beginning. Fails if
// the file is a playlist or another list of addresses, or something that is not video, audio, or an image, and names
// it.
Result<std::string> media_type(const std::string& path);

// From now on, decodebin, uridecodebin, and the discoverer of this process use only elements that read containers and
// streams of media: none for playlists or session descriptions. What a container contains is limited as well.
// `packets`: also those for network packets, which an RTSP source sends.
void limit_decoding_to_media(bool packets);

// From now on, elements that open a playlist's addresses get only sources for HTTP: playlists cannot name files,
// devices, or descriptors.
void limit_sources_to_http();

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

// What GStreamer may open while it decodes. A file names no other file and no address: it is decoded as what it is,
// and playlists are none of the things that it may be. A playlist at an address that the user gave may name only
// addresses of the network.
#pragma once

#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

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

}  // namespace sightglass::video

// Media files whose end is missing, as a broken transfer or a full disk leaves them. GStreamer plays what is there, and
// reports a normal end.
#pragma once

#include <string>

namespace sightglass::video {

// Says what is missing at the end of the file: "ends early: 1000 of at least 2500 bytes are there". Empty if the file
// is whole, or if its format does not say where it ends, as MPEG transport streams. Reads the headers of the parts of a
// file only.
std::string describe_cut(const std::string& path);

}  // namespace sightglass::video

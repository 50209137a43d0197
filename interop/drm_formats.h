// Plane layouts of DRM formats.
#pragma once

#include <cstdint>
#include <string>

namespace sightglass::interop {

struct PlaneLayout {
  int bytes;           // per sample, or per group of samples stored together
  int across, down;    // pixels per sample
  uint32_t alone = 0;  // format of the plane as a separate image; 0: none
};

struct FormatLayout {
  uint32_t fourcc;
  int planes;
  bool yuv;
  PlaneLayout plane[3];
};

// Null for an unknown format.
const FormatLayout* find_layout(uint32_t fourcc);

std::string known_formats();  // "XR24 AR24 …"

}  // namespace sightglass::interop

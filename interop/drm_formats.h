// How DRM's formats lay out their planes.
#pragma once

#include <cstdint>
#include <string>

namespace sightglass::interop {

struct PlaneLayout {
  int bytes;           // of a sample, or of the samples of one place that lie together
  int across, down;    // pixels of the picture to a sample
  uint32_t alone = 0;  // the format that the plane has as a picture of its own; 0: none
};

struct FormatLayout {
  uint32_t fourcc;
  int planes;
  bool yuv;
  PlaneLayout plane[3];
};

// Null for a format that is not known here.
const FormatLayout* find_layout(uint32_t fourcc);

std::string known_formats();  // "XR24 AR24 …"

}  // namespace sightglass::interop

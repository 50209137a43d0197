// Sizes of pixels in memory.
#pragma once

#include <cstdint>

namespace sightglass::gl_watch {

// Bytes of tightly packed pixels of the GL `format` and `type`; 0 if these are unknown, and for negative sizes.
uint64_t pixel_bytes(unsigned format, unsigned type, int64_t width, int64_t height, int64_t depth);

}  // namespace sightglass::gl_watch

// Sizes of pixels in memory.
#pragma once

#include <cstdint>

namespace sightglass::gl_watch {

// Of tightly packed pixels of GL's `format` and `type`; 0 for those that are unknown, and for negative sizes.
uint64_t pixel_bytes(unsigned format, unsigned type, int64_t width, int64_t height, int64_t depth);

}  // namespace sightglass::gl_watch

// Allocation of buffers.
#pragma once

#include <cstdint>

#include "sightglass/gl_objects.h"

namespace sightglass {

// A buffer of `bytes`, at least one block, filled with `data` unless null. Leaves `target` unbound.
GlBuffer make_buffer(const GlApi& gl, GLenum target, int64_t bytes, const void* data, GLenum usage);

}  // namespace sightglass

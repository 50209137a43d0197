// Sizes of work groups and bindings that the compute shaders of all elements have.
#pragma once

#include <cstdint>

#include "sightglass/gl_objects.h"

namespace sightglass {

// Binding of a shader's own uniform block; the frame has another one (kFrameBinding).
inline constexpr GLuint kParamsBinding = 1;
// Invocations per work group over a list, and per side of a work group over an image.
inline constexpr GLuint kGroupInvocations = 64, kGroupSide = 8;
constexpr GLuint groups_of(int32_t items) {
  return (static_cast<GLuint>(items) + kGroupInvocations - 1) / kGroupInvocations;
}
constexpr GLuint groups_across(int32_t pixels) { return (static_cast<GLuint>(pixels) + kGroupSide - 1) / kGroupSide; }
// Size of a buffer with a flag for Session::run_if().
inline constexpr GLsizeiptr kFlagBytes = 16;

}  // namespace sightglass

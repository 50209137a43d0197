// Creates storage buffers and dispatches a compute shader over them.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

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

// Creates a buffer of `size` bytes filled with `data`, or undefined if that is null. Leaves GL_SHADER_STORAGE_BUFFER
// unbound.
GlBuffer make_storage(const GlApi& gl, GLsizeiptr size, const void* data = nullptr);

// Dispatches `groups` x `rows` work groups with the storage blocks 0, 1, … bound to `storage`. Makes their writes
// visible to shaders that read storage. The caller binds the uniform blocks. Afterwards, uniform bindings 1 and 2, the
// storage blocks and the program are unbound.
void dispatch(const GlApi& gl, GLuint program, std::initializer_list<BufferRange> storage, GLuint groups = 1,
              GLuint rows = 1);

}  // namespace sightglass

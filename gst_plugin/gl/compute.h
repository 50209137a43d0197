// Storage buffers and the dispatch of one compute shader over them.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/session.h"

namespace sightglass {

// The uniform block of a shader's own; another one is the frame's (kFrameBinding).
inline constexpr GLuint kParamsBinding = 1;
// Invocations of a work group over a list, and to each side of one over a picture.
inline constexpr GLuint kGroupInvocations = 64, kGroupSide = 8;
constexpr GLuint groups_of(int32_t items) {
  return (static_cast<GLuint>(items) + kGroupInvocations - 1) / kGroupInvocations;
}
constexpr GLuint groups_across(int32_t pixels) { return (static_cast<GLuint>(pixels) + kGroupSide - 1) / kGroupSide; }
// Of a buffer that holds a flag for Session::run_if().
inline constexpr GLsizeiptr kFlagBytes = 16;

// A buffer of `size` bytes, which are `data`, or undefined where that is null. Leaves GL_SHADER_STORAGE_BUFFER unbound.
GlBuffer make_storage(const GlApi& gl, GLsizeiptr size, const void* data = nullptr);

// Dispatches `groups` x `rows` work groups with the storage blocks 0, 1, … bound to `storage`, and makes what they
// write visible to shaders that read it as storage. The caller has bound the uniform blocks; those of bindings 1 and 2,
// the storage blocks and the program are unbound afterwards.
void dispatch(const GlApi& gl, GLuint program, std::initializer_list<BufferRange> storage, GLuint groups = 1,
              GLuint rows = 1);

}  // namespace sightglass

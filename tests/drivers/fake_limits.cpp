#include "fake_limits.h"

#include <algorithm>

namespace sightglass::fake_driver {
namespace {

struct Limit {
  GLenum name;
  GLint value;
};

// What NVIDIA's driver is believed to report for OpenGL ES 3.2 on server GPUs. No GPU has confirmed it.
constexpr Limit kLimits[] = {
    {GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, 16},
    {GL_MAX_COMPUTE_IMAGE_UNIFORMS, 8},
    {GL_MAX_IMAGE_UNITS, 8},
    {GL_MAX_COMPUTE_UNIFORM_BLOCKS, 14},
    {GL_MAX_UNIFORM_BLOCK_SIZE, 65536},
    {GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, 1024},
    {GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, 49152},
    {GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS, 32},
    {GL_MAX_TEXTURE_BUFFER_SIZE, 134217728},
    {GL_MAX_TEXTURE_SIZE, 32768},
};
// The larger value is the stricter one.
constexpr Limit kAlignments[] = {{GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, 256},
                                 {GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, 16},
                                 {GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, 16}};

constexpr GLint alignment(GLenum name) {
  for (const Limit& limit : kAlignments) {
    if (limit.name == name) return limit.value;
  }
  return 1;
}

}  // namespace

const char* nvidia_string(GLenum name) {
  switch (name) {
    case GL_VENDOR:
      return "NVIDIA Corporation";
    case GL_RENDERER:
      return "NVIDIA H100 80GB HBM3/PCIe/SSE2";
    case GL_VERSION:
      return "OpenGL ES 3.2 NVIDIA 580.00";
    case GL_SHADING_LANGUAGE_VERSION:
      return "OpenGL ES GLSL ES 3.20";
    default:
      return nullptr;
  }
}

void nvidia_limit(GLenum name, GLint* value) {
  for (const Limit& limit : kLimits) {
    if (limit.name == name) *value = std::min(*value, limit.value);
  }
  for (const Limit& limit : kAlignments) {
    if (limit.name == name) *value = std::max(*value, limit.value);
  }
}

bool is_aligned(GLenum target, GLintptr offset) {
  const GLenum name = target == GL_UNIFORM_BUFFER          ? GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT
                      : target == GL_SHADER_STORAGE_BUFFER ? GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT
                                                           : GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT;
  return offset % alignment(name) == 0;
}

}  // namespace sightglass::fake_driver

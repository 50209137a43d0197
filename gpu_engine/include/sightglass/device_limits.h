// Limits of a GL context as plain data: planning needs the numbers, never the context. No GL.
#pragma once

#include <cstdint>

#include "sightglass/kernel_defaults.h"

namespace sightglass {

// The defaults are the minimums that OpenGL ES 3.1 guarantees (specification, tables 20.39 to 20.49).
struct DeviceLimits {
  int32_t compute_storage_blocks = 4;          // SSBO blocks per compute shader
  int64_t max_storage_block_bytes = 1 << 27;   // per SSBO binding
  int32_t storage_offset_alignment = 256;      // bytes, glBindBufferRange of an SSBO
  int32_t compute_image_units = 4;             // image uniforms per compute shader
  int32_t max_uniform_block_bytes = 16384;     // per UBO binding
  int32_t uniform_offset_alignment = 256;      // bytes, glBindBufferRange of a UBO
  int32_t workgroup_invocations = 128;         // product of the local size
  int32_t workgroup_size[3] = {128, 128, 64};  // local size per axis
  int32_t workgroup_count[3] = {65535, 65535, 65535};
  int32_t shared_memory_bytes = 16384;
  int32_t max_texture_size = 2048;
  int32_t max_buffer_texels = 0;    // of a buffer texture; 0: unsupported (core since OpenGL ES 3.2)
  int32_t max_loop_iterations = 0;  // per invocation, all loops together; 0: no known bound
  // Whether compute shaders can sample external textures (GL_OES_EGL_image_external_essl3).
  bool external_textures = false;
  // Whether the driver compiles a program that reads buffer textures again for each sampler that other programs of the
  // context have used. Such textures have no sampler of their own.
  bool compiles_for_samplers = false;
  // What kernels achieve on a slow device of the family: a rough estimate, to find models that would block the GPU.
  double multiply_adds_per_second = 5e9;
  KernelDefaults kernels;  // of the device family

  // Limits that mobile and embedded GPUs commonly report, for planning without a GPU.
  static DeviceLimits typical();

  // Limits no better than the guaranteed minimums: a device that just passes conformance.
  DeviceLimits clamped_to_minimum() const;

  bool operator==(const DeviceLimits&) const = default;
};

}  // namespace sightglass

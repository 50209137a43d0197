// What a GL context can do, as plain data: planning needs the numbers, never the context.
#pragma once

#include <cstdint>
#include <string>

#include "gpu_engine/gl_api.h"
#include "gpu_engine/status.h"

namespace sightglass {

// The defaults are the minimums that OpenGL ES 3.1 guarantees (specification, tables 20.39 to 20.49).
struct DeviceLimits {
  int32_t compute_storage_blocks = 4;            // SSBO blocks of one compute shader
  int64_t max_storage_block_bytes = 1 << 27;     // one SSBO binding
  int32_t storage_offset_alignment = 256;        // bytes, glBindBufferRange of an SSBO
  int32_t compute_image_units = 4;               // image uniforms of one compute shader
  int32_t max_uniform_block_bytes = 16384;       // one UBO binding
  int32_t uniform_offset_alignment = 256;        // bytes, glBindBufferRange of a UBO
  int32_t workgroup_invocations = 128;           // product of the local size
  int32_t workgroup_size[3] = {128, 128, 64};    // local size by axis
  int32_t workgroup_count[3] = {65535, 65535, 65535};
  int32_t shared_memory_bytes = 16384;
  int32_t max_texture_size = 2048;
  int32_t max_loop_iterations = 0;               // per invocation, all loops together; 0: no known bound

  // Each number no better than the guaranteed minimum: what a device that just passes conformance has.
  DeviceLimits clamped_to_minimum() const;
};

struct DeviceInfo {
  std::string vendor, renderer, version;  // GL strings
  bool es = true;                         // an OpenGL ES context, else desktop GL with ES 3.1 compatibility
  int32_t major = 0, minor = 0;
  DeviceLimits limits;
};

// Asks the current context. Fails, naming what was found and what is needed, when it has neither OpenGL ES 3.1 nor
// desktop OpenGL that accepts "#version 310 es" compute shaders (4.5, or GL_ARB_ES3_1_compatibility).
Result<DeviceInfo> query_device(const GlApi& gl);

}  // namespace sightglass

// What is known of a device by its names alone: one table for the whole project. No GL.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu_engine/kernel_defaults.h"

namespace sightglass {

struct DeviceFamily {
  const char* name;                 // "Mali"; "unknown"
  bool software = false;            // renders on the CPU
  int32_t max_loop_iterations = 0;  // as DeviceLimits has it
  KernelDefaults kernels = {};
};

// The family that GL_VENDOR and GL_RENDERER tell of. Drivers on top of others, such as zink, virgl and ANGLE, name
// those in their own names: the family is that of the device beneath.
const DeviceFamily& device_family(std::string_view vendor, std::string_view renderer);

// Whether the driver reads all buffer textures rightly. virgl does not: those of 16-bit floats come out wrong in
// shaders that also read one of integers (Mesa 22.3 and 25.0).
bool has_sound_buffer_textures(std::string_view renderer);

}  // namespace sightglass

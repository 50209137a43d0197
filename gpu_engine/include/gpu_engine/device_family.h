// Known properties of a device, by its name: one table for the whole project. No GL.
#pragma once

#include <cstdint>
#include <string_view>

#include "sightglass/device_limits.h"
#include "sightglass/kernel_defaults.h"
#include "sightglass/status.h"
#include "sightglass/step_timer.h"

namespace sightglass {

struct DeviceFamily {
  const char* name;                 // "Mali"; "unknown"
  bool software = false;            // renders on the CPU
  int32_t max_loop_iterations = 0;  // see DeviceLimits
  KernelDefaults kernels = {};
  bool compiles_for_samplers = false;  // see DeviceLimits
  double multiply_adds_per_second = 20e9;
};

// The family named by GL_VENDOR and GL_RENDERER. Drivers on top of others, such as zink, virgl and ANGLE, contain the
// name of the underlying device: the family is that of this device.
const DeviceFamily& device_family(std::string_view vendor, std::string_view renderer);

// Whether the driver reads all buffer textures correctly. virgl does not: 16-bit float buffer textures return wrong
// values in shaders that also read an integer one (Mesa 22.3 and 25.0).
bool has_sound_buffer_textures(std::string_view renderer);

// Whether the driver compiles programs on the thread that first uses them, although it may list compiler threads among
// its extensions: those of Mesa for llvmpipe, VideoCore, and Mali.
bool compiles_on_calling_thread(std::string_view renderer);

// Measured peak speed of a device: the yardstick for models.
struct DeviceSpeed {
  double multiply_adds_per_second = 0;  // in registers, 32-bit floats; in GFLOP/s, one counts as two operations
  int chains = 0;                       // independent vec4 chains per invocation, in the fastest variant
  double copied_bytes_per_second = 0;   // bytes read plus bytes written, with buffers far larger than the caches
  bool buffer_textures = false;         // whether the faster variant reads buffer textures, not storage blocks
};

// The best of several variants and repetitions; takes about a second. A context of the timer's group must be current.
Result<DeviceSpeed> measure_device(StepTimer& timer, const DeviceLimits& limits);

}  // namespace sightglass

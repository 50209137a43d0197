// Measured peak speed of a device: the yardstick for models.
#pragma once

#include "sightglass/device_limits.h"
#include "sightglass/status.h"
#include "sightglass/step_timer.h"

namespace sightglass {

struct DeviceSpeed {
  double multiply_adds_per_second = 0;  // in registers, 32-bit floats; in GFLOP/s, one counts as two operations
  int chains = 0;                       // independent vec4 chains per invocation, in the fastest variant
  double copied_bytes_per_second = 0;   // bytes read plus bytes written, with buffers far larger than the caches
  bool buffer_textures = false;         // whether the faster variant reads buffer textures, not storage blocks
};

// The best of several variants and repetitions; takes about a second. A context of the timer's group must be current.
Result<DeviceSpeed> measure_device(StepTimer& timer, const DeviceLimits& limits);

}  // namespace sightglass

// The GL context of OBS.
#pragma once

#include <memory>
#include <string>

#include "sightglass/device.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass::obs {

struct GlDevice {
  DeviceInfo info;
  std::shared_ptr<ShareGroup> group;  // of all filters
};

// Requires the graphics context to be current. The first filter determines the program cache directory, `cache_folder`
// (empty = none). Fails if OBS does not draw with OpenGL, or if the engine does not support the context.
Result<GlDevice> gl_device(const std::string& cache_folder);

}  // namespace sightglass::obs

// Which GL context this is, and what it can do.
#pragma once

#include <cstdint>
#include <string>

#include "gpu_engine/device_limits.h"
#include "gpu_engine/gl_api.h"
#include "gpu_engine/log.h"
#include "gpu_engine/status.h"

namespace sightglass {

struct DeviceInfo {
  std::string vendor, renderer, version;  // GL strings
  bool es = true;                         // an OpenGL ES context, else desktop GL with ES 3.1 compatibility
  int32_t major = 0, minor = 0;
  DeviceLimits limits;
};

// "vendor | renderer | version": measurements hold for one driver on one device.
std::string device_name(const DeviceInfo& device);

// Asks the current context. Fails, naming what was found and what is needed, when it has neither OpenGL ES 3.1 nor
// desktop OpenGL that accepts "#version 310 es" compute shaders (4.5, or GL_ARB_ES3_1_compatibility). `log`
// reports the names, the family and the limits.
Result<DeviceInfo> query_device(const GlApi& gl, const Log& log = {});

// Whether the current context is one of OpenGL ES, and not of desktop GL.
bool is_es(const GlApi& gl);

// Whether the current context has timestamps that the GPU takes (GL_EXT_disjoint_timer_query; desktop GL has them in
// its core): the table's query functions may be called then. That says nothing about what their times are worth; see
// StepTimer.
bool has_timer_queries(const GlApi& gl);

}  // namespace sightglass

// Identity and capabilities of a GL context.
#pragma once

#include <cstdint>
#include <string>

#include "sightglass/device_limits.h"
#include "sightglass/gl_api.h"
#include "sightglass/log.h"
#include "sightglass/status.h"

namespace sightglass {

struct DeviceInfo {
  std::string vendor, renderer, version;  // GL strings
  bool es = true;                         // OpenGL ES context; otherwise desktop GL with ES 3.1 compatibility
  int32_t major = 0, minor = 0;
  DeviceLimits limits;
};

// "vendor | renderer | version". Measurements are valid for one driver on one device.
std::string device_name(const DeviceInfo& device);

// Queries the current context. Fails, naming the version found and the version needed, unless the context has OpenGL ES
// 3.1, or desktop OpenGL that accepts "#version 310 es" compute shaders (4.5, or GL_ARB_ES3_1_compatibility). `log`
// reports the names, the device family and the limits.
Result<DeviceInfo> query_device(const GlApi& gl, const Log& log = {});

// Whether the current context has the extension, such as "GL_EXT_texture_buffer".
bool has_extension(const GlApi& gl, const char* name);

// Whether the current context is OpenGL ES, not desktop GL.
bool is_es(const GlApi& gl);

// Whether the current context has GPU timestamps (GL_EXT_disjoint_timer_query; part of core desktop GL). If so, the
// query functions of the table may be called. This does not say how accurate the times are; see StepTimer.
bool has_timer_queries(const GlApi& gl);

}  // namespace sightglass

// Functions of EGL and GL, by name: this library links neither GL nor extensions.
#pragma once

#include <EGL/egl.h>

namespace sightglass::interop {

// Null if the driver lacks the function.
template <typename Function>
Function gl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

}  // namespace sightglass::interop

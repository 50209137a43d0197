// Makes the fake driver a vendor library of libglvnd, on top of Mesa's. Apart from the rest, because the header
// includes those of desktop OpenGL.
#include <dlfcn.h>
#include <glvnd/libeglabi.h>

#include <cstdio>

#include "fake_driver.h"

extern "C" [[gnu::visibility("default")]] EGLBoolean __egl_Main(uint32_t version, const __EGLapiExports* exports,
                                                                __EGLvendorInfo* vendor, __EGLapiImports* imports) {
  void* const mesa = dlopen("libEGL_mesa.so.0", RTLD_NOW | RTLD_LOCAL);
  if (mesa == nullptr) {
    std::fprintf(stderr, "fake driver: %s\n", dlerror());
    return EGL_FALSE;
  }
  const auto main = reinterpret_cast<__PFNEGLMAINPROC>(dlsym(mesa, __EGL_MAIN_PROTO_NAME));
  if (main == nullptr || main(version, exports, vendor, imports) != EGL_TRUE) return EGL_FALSE;
  sightglass::fake_driver::use_driver(imports->getProcAddress);
  imports->getProcAddress = sightglass::fake_driver::find_function;
  return EGL_TRUE;
}

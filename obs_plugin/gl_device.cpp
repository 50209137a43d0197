#include "gl_device.h"

#include <EGL/egl.h>
#include <dlfcn.h>
#include <obs.h>

#include <mutex>
#include <utility>

#include "gl/shaders.h"
#include "gobject/log.h"
#include "sightglass/cache_folder.h"

namespace sightglass::obs {

namespace {

// EGL of the context; GLX if another one is current, as in versions of OBS before 28.
void* find_gl_function(const char* name) {
  if (eglGetCurrentContext() != EGL_NO_CONTEXT) return reinterpret_cast<void*>(eglGetProcAddress(name));
  using Find = void* (*)(const unsigned char*);
  static const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "glXGetProcAddressARB"));
  return find != nullptr ? find(reinterpret_cast<const unsigned char*>(name)) : nullptr;
}

}  // namespace

Result<GlDevice> gl_device(const std::string& cache_folder) {
  static std::mutex mutex;
  static std::weak_ptr<ShareGroup>& known = *new std::weak_ptr<ShareGroup>;  // filters may end after static objects
  if (gs_get_device_type() != GS_DEVICE_OPENGL) {
    return unsupported("OBS does not draw with OpenGL; use a build of OBS that does");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, GlApi::load(find_gl_function));
  GlDevice device;
  SIGHTGLASS_ASSIGN_OR_RETURN(device.info, query_device(gl, engine_log()));
  const std::lock_guard lock(mutex);
  device.group = known.lock();
  if (device.group != nullptr) return device;
  auto cache = cache_folder.empty() ? nullptr : std::make_shared<ProgramCache>(program_folder(cache_folder));
  device.group = ShareGroup::create(gl, std::move(cache), element_shaders(), engine_log());
  known = device.group;
  return device;
}

}  // namespace sightglass::obs

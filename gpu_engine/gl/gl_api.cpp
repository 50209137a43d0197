#include "sightglass/gl_api.h"

#include <string>

#include "gpu_engine/exceptions.h"

namespace sightglass {

Result<GlApi> GlApi::load(const GetProcAddress& get_proc_address) try {
  GlApi api;
  std::string missing;
  // Code that each of the functions below would repeat.
  const auto find = [&](const char* name) {
    void* const function = get_proc_address(name);
    if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
    return function;
  };
  const auto find_optional = [&](const std::string& name) {
    void* function = nullptr;
    for (const char* suffix : {"", "KHR", "EXT", "OES", "ARB"}) {
      if (function == nullptr) function = get_proc_address((name + suffix).c_str());
    }
    return function;
  };
#define SIGHTGLASS_GL_LOAD(name) api.name = reinterpret_cast<decltype(api.name)>(find("gl" #name));
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_GL_LOAD)
#undef SIGHTGLASS_GL_LOAD
#define SIGHTGLASS_GL_LOAD(name, type) api.name = reinterpret_cast<decltype(api.name)>(find_optional("gl" #name));
  SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(SIGHTGLASS_GL_LOAD)
#undef SIGHTGLASS_GL_LOAD
  if (!missing.empty()) {
    return unsupported("the GL library lacks " + missing + "; use one for OpenGL ES 3.1 or desktop OpenGL 4.5");
  }
  return api;
} catch (...) {
  return status_of_exception("the GL library", "load it");
}

}  // namespace sightglass

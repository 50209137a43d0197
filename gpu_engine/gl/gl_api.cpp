#include "sightglass/gl_api.h"

#include <string>

#include "gpu_engine/exceptions.h"

namespace sightglass {

Result<GlApi> GlApi::load(const GetProcAddress& get_proc_address) try {
  GlApi api;
  std::string missing;
#define SIGHTGLASS_GL_LOAD(name)                                                 \
  api.name = reinterpret_cast<decltype(api.name)>(get_proc_address("gl" #name)); \
  if (api.name == nullptr) missing += missing.empty() ? "gl" #name : ", gl" #name;
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_GL_LOAD)
#undef SIGHTGLASS_GL_LOAD
#define SIGHTGLASS_GL_LOAD(name, type)                                                                            \
  for (const char* full : {"gl" #name, "gl" #name "KHR", "gl" #name "EXT", "gl" #name "OES", "gl" #name "ARB"}) { \
    if (api.name == nullptr) api.name = reinterpret_cast<decltype(api.name)>(get_proc_address(full));             \
  }
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

// A function table whose calls are seen before they are made: for counting them, and for tests.
#pragma once

#include "gpu_engine/gl_api.h"

namespace sightglass {

namespace gl_hook_detail {

// One wrapper a table entry; the tag tells entries of the same type apart.
template <auto Hook, typename Tag, typename Function>
struct Hooked;

template <auto Hook, typename Tag, typename R, typename... Args>
struct Hooked<Hook, Tag, R (*)(Args...)> {
  static inline R (*real)(Args...) = nullptr;
  static R call(Args... args) {
    if (!Hook(Tag::kName)) return R();
    return real(args...);
  }
};

#define SIGHTGLASS_TAG(name)                    \
  struct Tag##name {                            \
    static constexpr const char* kName = #name; \
  };
SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_TAG)
#undef SIGHTGLASS_TAG

}  // namespace gl_hook_detail

// `gl` with `Hook`, a function bool(const char* name), before every entry but the optional ones. The name has no prefix
// ("DispatchCompute"). Calls that it answers with false are not passed on. GL has no place for a state of the table:
// the last table of a hook is the one that all tables of that hook call.
template <auto Hook>
GlApi hooked_gl(const GlApi& gl) {
  GlApi hooked = gl;
#define SIGHTGLASS_HOOK(name)                                                                     \
  gl_hook_detail::Hooked<Hook, gl_hook_detail::Tag##name, decltype(GlApi::name)>::real = gl.name; \
  hooked.name = gl_hook_detail::Hooked<Hook, gl_hook_detail::Tag##name, decltype(GlApi::name)>::call;
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_HOOK)
#undef SIGHTGLASS_HOOK
  return hooked;
}

}  // namespace sightglass

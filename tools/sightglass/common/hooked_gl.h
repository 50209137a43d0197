// A function table that calls a hook before each GL call: for counting calls, and for tests.
#pragma once

#include "sightglass/gl_api.h"

namespace sightglass {

namespace gl_hook_detail {

// One wrapper per table entry. The tag distinguishes entries of the same type.
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

// Returns `gl` with `Hook`, a function bool(const char* name), called before every entry except the optional ones. The
// name has no prefix ("DispatchCompute"). If the hook returns false, the call is dropped. GL functions have no user
// data: all tables of a hook call the functions of the last one.
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

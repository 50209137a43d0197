// The functions of the driver below the fake one.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
// Must follow the version header: it defines only extension types.
#include <GLES2/gl2ext.h>

#include "real_functions.h"

namespace sightglass::fake_driver {

// A tag per function: functions of the same type need separate pointers.
#define SIGHTGLASS_TAG(name)                    \
  struct Tag_##name {                           \
    static constexpr const char* kName = #name; \
  };
SIGHTGLASS_EVERY_FUNCTION(SIGHTGLASS_TAG)
#undef SIGHTGLASS_TAG

template <typename Tag, typename Function>
struct Real {
  static inline Function function = nullptr;
};

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it pastes the name into a tag
#define REAL(name) (::sightglass::fake_driver::Real<::sightglass::fake_driver::Tag_##name, decltype(&::name)>::function)

}  // namespace sightglass::fake_driver

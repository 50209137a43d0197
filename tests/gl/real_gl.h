// The function table that the replaced functions of a test forward to.
#pragma once

#include "sightglass/gl_api.h"

namespace sightglass::test {

inline const GlApi* real_gl = nullptr;  // set by every test that replaces functions

}  // namespace sightglass::test

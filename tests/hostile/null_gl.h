// A function table without a driver: every call succeeds and does nothing, so that the code around the calls can be
// tested by itself.
#pragma once

#include "sightglass/gl_api.h"

namespace sightglass::test {

GlApi null_gl();

// The number of GL objects that are created and not yet deleted.
int null_gl_objects();

}  // namespace sightglass::test

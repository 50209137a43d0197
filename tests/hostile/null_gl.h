// A function table without a driver: every call succeeds and does nothing, so that what the engine does around its
// calls can be tested alone.
#pragma once

#include "gpu_engine/gl_api.h"

namespace sightglass::test {

GlApi null_gl();

// GL objects that were made and not yet deleted.
int null_gl_objects();

}  // namespace sightglass::test

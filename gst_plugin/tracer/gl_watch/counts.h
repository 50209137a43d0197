// Where watched calls go: to the listener, or where there is none into a table of the library's own, which is printed
// on stderr when the process ends.
#pragma once

#include <cstdint>

#include "interface.h"

namespace sightglass::gl_watch {

void count(Call call, uint64_t bytes);

}  // namespace sightglass::gl_watch

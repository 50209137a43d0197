// Reports watched calls to the listener. If there is none, counts them in a table that the library prints to stderr at
// the end of the process.
#pragma once

#include <cstdint>

#include "interface.h"

namespace sightglass::gl_watch {

void count(Call call, uint64_t bytes);

}  // namespace sightglass::gl_watch

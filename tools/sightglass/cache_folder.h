// Where the command keeps what makes the next start fast.
#pragma once

#include <string>

namespace sightglass {

// sightglass below $XDG_CACHE_HOME, or below ~/.cache; empty where neither is known.
std::string default_cache_folder();

}  // namespace sightglass

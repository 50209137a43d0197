// The default cache directory of the command-line tool.
#pragma once

#include <string>

namespace sightglass {

// Returns sightglass below $XDG_CACHE_HOME, or below ~/.cache; empty if neither is known.
std::string default_cache_folder();

}  // namespace sightglass

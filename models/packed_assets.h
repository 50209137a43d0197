// Files that are packed one after the other into FILE.data. The script FILE_loader.js beside it has their table:
// loadPackage({"files": [{"filename": "/a.tflite", "start": 0, "end": 100}], …}). Both are untrusted.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

// "FILE_loader.js" for "FILE.data".
std::string loader_of(std::string_view data_file);

// The part of `data` that the table in `loader` states for the file `asset`. The error has no subject: "has no …".
Result<std::span<const std::byte>> packed_asset(std::span<const std::byte> data, std::string_view loader,
                                                std::string_view asset);

}  // namespace sightglass

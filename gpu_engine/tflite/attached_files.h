// Files attached to a model: a ZIP archive after the flatbuffer, with uncompressed members.
#pragma once

#include <span>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass::tflite {

// The contents of the named member, inside `file`. Fails if there is no archive or no such member, if it is compressed,
// or if the archive is inconsistent with the file.
Result<std::span<const std::byte>> attached_file(std::span<const std::byte> file, std::string_view name);

}  // namespace sightglass::tflite

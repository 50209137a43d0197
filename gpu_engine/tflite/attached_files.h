// The files that are attached to a model: a ZIP archive behind the flatbuffer, whose members are stored as they are.
#pragma once

#include <span>
#include <string_view>

#include "gpu_engine/status.h"

namespace sightglass::tflite {

// The contents of the member of that name, inside `file`. Fails when there is no archive or no such member, when it is
// compressed, or when what the archive says of it does not fit the file.
Result<std::span<const std::byte>> attached_file(std::span<const std::byte> file, std::string_view name);

}  // namespace sightglass::tflite

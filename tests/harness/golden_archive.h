// Reads whole reference outputs from ../shared, or from tests/golden/renewed if a newer TensorFlow Lite computes
// others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sightglass/status.h"
#include "sightglass/tensor.h"

namespace sightglass::test {

// Returns the path of a renewed output if there is one, otherwise that in the directory `shared`, whether it exists or
// not.
std::filesystem::path archived_output(const std::filesystem::path& shared, const std::string& model,
                                      const std::string& name, size_t output);
// Returns the type for a TensorFlow Lite name such as "FLOAT32"; nullopt for strings, which are not numbers.
std::optional<DataType> archived_type(const std::string& name);
Result<HostTensor> read_archived(const std::filesystem::path& path, DataType type, const Shape& shape);

}  // namespace sightglass::test

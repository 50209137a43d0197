// Whole reference outputs, as ../shared has them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gpu_engine/status.h"
#include "gpu_engine/tensor.h"

namespace sightglass::test {

// The file of an output in the folder `shared`, whether it is there or not.
std::filesystem::path archived_output(const std::filesystem::path& shared, const std::string& model,
                                      const std::string& name, size_t output);
// By TensorFlow Lite's name, "FLOAT32"; nothing for strings, which are no numbers.
std::optional<DataType> archived_type(const std::string& name);
Result<HostTensor> read_archived(const std::filesystem::path& path, DataType type, const Shape& shape);

}  // namespace sightglass::test

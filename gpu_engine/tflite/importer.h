// Reads a .tflite file into a Graph. No GL. Nothing in the file is trusted: the flatbuffer verifier runs first, and every
// index, enum, offset and shape product is checked before it is used.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/status.h"
#include "graph/graph.h"

namespace sightglass::tflite {

struct ImportOptions {
  // Bounds that turn a hostile file into an error instead of an allocation.
  int64_t max_tensor_elements = int64_t{1} << 28;
  int max_nodes = 100000;
};

// `bytes` must stay unchanged while `owner` lives; constants of the graph point into it and share `owner`.
// `name` is what messages call the model (usually the path). All unsupported operators are reported in one error.
Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                     const ImportOptions& options = {});

}  // namespace sightglass::tflite

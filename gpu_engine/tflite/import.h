// Imports a .tflite file as a Graph. No GL. The file is untrusted: the flatbuffer verifier runs first, and every index,
// enum, offset and shape product is checked before use.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "sightglass/model.h"
#include "sightglass/model_metadata.h"
#include "sightglass/status.h"

namespace sightglass::tflite {

struct ImportOptions {
  bool quantized_models = true;  // whether 8-bit and 16-bit activations and weights are accepted
  // Overrides declared input shapes. The declared shapes of all other tensors are then ignored.
  std::vector<InputShape> input_shapes;
  std::optional<ImageSize> open_size;  // likewise, of the first input
  std::optional<int32_t> open_batch;
  std::string signature;  // the subgraph to import; empty: the first one
  // Limits that turn a hostile file into an error instead of a huge allocation.
  int64_t max_tensor_elements = int64_t{1} << 28;
  int max_nodes = 100000;  // also the maximum number of outputs of one operator
  // Import evaluates operators with only constant inputs, within these limits for the whole file.
  int64_t max_folded_bytes = int64_t{1} << 29;
  int64_t max_folding_steps = int64_t{1} << 30;  // multiplications or moved elements
};

// `bytes` must stay unchanged while `owner` lives; constants of the graph point into it and share `owner`. Its address
// must be a multiple of 4. `name` is the model name in messages (usually the path).
//
// Imports one subgraph, and those that its operators run. Parameters that
// the file stores as constant tensors become attributes. Operators with only constant inputs are evaluated. A float16
// constant with DEQUANTIZE becomes a float32 value stored as float16. One error of kind kUnsupported reports all
// unsupported operators; an inconsistent file gives kInvalidModel.
Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                     const ImportOptions& options = {});

struct Survey;
// The same with the other contents of the file; without obstacles.
Result<Survey> import_whole(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                            const std::string& name, const ImportOptions& options);

// A possibly partial import.
struct Survey {
  ModelMetadata metadata;
  std::vector<TensorInfo> inputs, outputs;  // as declared, without types that the engine does not have
  std::vector<std::string> operators;       // in file order: "CONV_2D", "CUSTOM 'Name'"
  std::vector<Obstacle> obstacles;          // reasons why import() rejects the file
  // Valid. With obstacles, the unsupported operators and those that depend on them are missing, and the outputs are all
  // computed values without readers.
  Graph graph;
};

// Fails only for damaged and inconsistent files.
Result<Survey> survey(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                      const ImportOptions& options = {});

// How options apply to the import of model files.

// `file_bytes`: the size of the file.
ImportOptions import_options(const ModelOptions& options, size_t file_bytes);

// Errors name the file.
Result<Survey> survey_file(const std::string& path, const ModelOptions& options);

}  // namespace sightglass::tflite

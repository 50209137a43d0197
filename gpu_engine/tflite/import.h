// Reads a .tflite file into a Graph. No GL. Nothing in the file is trusted: the flatbuffer verifier runs first, and
// every index, enum, offset and shape product is checked before it is used.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/metadata.h"
#include "gpu_engine/model.h"
#include "gpu_engine/status.h"
#include "graph/graph.h"

namespace sightglass::tflite {

struct ImportOptions {
  bool quantized_models = true;  // whether 8-bit and 16-bit activations and weights are accepted
  // Other shapes than the file declares. What it says of the shapes of other tensors is then ignored.
  std::vector<InputShape> input_shapes;
  // Bounds that turn a hostile file into an error instead of an allocation.
  int64_t max_tensor_elements = int64_t{1} << 28;
  int max_nodes = 100000;  // and outputs of one operator
  // Operators whose inputs are all constant are evaluated while importing, within these bounds for the whole file.
  int64_t max_folded_bytes = int64_t{1} << 29;
  int64_t max_folding_steps = int64_t{1} << 30;  // multiplications, or elements moved
};

// `bytes` must stay unchanged while `owner` lives; constants of the graph point into it and share `owner`. They must
// lie at an address that is a multiple of 4. `name` is what messages call the model (usually the path).
//
// Only the first subgraph is read: the others serve control flow, whose operators are not supported. Parameters that
// the file carries as constant tensors become attributes; operators on constants alone are evaluated, and a float16
// constant behind DEQUANTIZE becomes a float32 value that is stored as float16. All unsupported operators are reported
// in one error of kind kUnsupported; a file that contradicts itself gives kInvalidModel.
Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                     const ImportOptions& options = {});

struct Survey;
// The same with what else was found in the file; without obstacles.
Result<Survey> import_whole(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                            const std::string& name, const ImportOptions& options);

// A file as far as it could be imported.
struct Survey {
  ModelMetadata metadata;
  std::vector<TensorInfo> inputs, outputs;  // as declared; those that the engine has no type for are left out
  std::vector<std::string> operators;       // in the file's order: "CONV_2D", "CUSTOM 'Name'"
  std::vector<Obstacle> obstacles;          // what import() refuses the file for
  // Valid. Where there are obstacles, operators that these stand in front of are missing, and outputs are whatever is
  // computed and read by nobody.
  Graph graph;
};

// Fails for damaged files and those that contradict themselves alone.
Result<Survey> survey(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                      const ImportOptions& options = {});

}  // namespace sightglass::tflite

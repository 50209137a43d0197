// A parsed and verified model file. Immutable and shareable between threads; holds no GL object.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/log.h"
#include "gpu_engine/metadata.h"
#include "gpu_engine/status.h"
#include "gpu_engine/tensor.h"

namespace sightglass {

class Graph;

// An input or output of a model.
struct TensorInfo {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  Quantization quantization;
};

// What keeps a model from running on the GPU, for people.
struct Obstacle {
  std::string where;    // "CONV_2D #12 (output 'x')"; empty where it concerns no single operator
  std::string reason;   // why
  std::string nearest;  // what would run instead, or what to do; empty when nothing is known
};
std::string to_string(const Obstacle& obstacle);
// From a message that gives the reason and, after a semicolon, what would help.
Obstacle make_obstacle(std::string where, const std::string& message);

// Whether the numbers of an output are probabilities already, from the operator that makes them.
enum class OutputActivation : uint8_t { kNone = 0, kSigmoid = 1, kSoftmax = 2 };

// Models of 8-bit and 16-bit integers, and those of floats with 8-bit weights. They are computed as TensorFlow Lite's
// built-in kernels do, so that results equal theirs or differ from them by a quantum here and there.
enum class QuantizedModels : uint8_t { kRefused, kAllowed };

// Another shape for an input than the file declares. Fully convolutional models take pictures of many sizes.
struct InputShape {
  std::string input;  // its name, or its number where no input has that name
  Shape shape;
  bool operator==(const InputShape&) const = default;
};

struct ModelOptions {
  QuantizedModels quantized_models = QuantizedModels::kAllowed;
  std::vector<InputShape> input_shapes = {};
  Log log = {};  // reports what the file has
  bool operator==(const ModelOptions&) const = default;
};

class Model {
 public:
  // Maps the file; it must not be changed while the model lives. Errors name the file.
  static Result<std::shared_ptr<const Model>> load(const std::string& path, const ModelOptions& options = {});
  // Copies `bytes`.
  static Result<std::shared_ptr<const Model>> load(std::span<const std::byte> bytes, const std::string& name,
                                                   const ModelOptions& options = {});

  // A graph that was made by a program instead of read from a file. Fails when it breaks an invariant.
  static Result<std::shared_ptr<const Model>> from_graph(Graph graph);

  const std::string& name() const { return name_; }
  const std::vector<TensorInfo>& inputs() const { return inputs_; }
  const std::vector<TensorInfo>& outputs() const { return outputs_; }
  const ModelMetadata& metadata() const { return metadata_; }  // empty when the file carries none
  OutputActivation output_activation(size_t output) const;
  // Of a model that ends in TFLite_Detection_PostProcess: which outputs are its boxes (1 x detections x 4: least y,
  // least x, greatest y, greatest x in fractions of the input), classes, scores and their number. Files list them in
  // any order.
  std::optional<std::array<size_t, 4>> detection_outputs() const;
  // The graph as it stands in the file, before any rewrite.
  const Graph& graph() const { return *graph_; }

 private:
  Model() = default;
  static Result<std::shared_ptr<const Model>> make(Graph graph, ModelMetadata metadata);
  std::string name_;
  ModelMetadata metadata_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::shared_ptr<const Graph> graph_;
};

}  // namespace sightglass

// A parsed and verified model file. Immutable and shareable between threads; owns no GL objects.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/log.h"
#include "sightglass/model_metadata.h"
#include "sightglass/resource_limits.h"
#include "sightglass/status.h"
#include "sightglass/tensor.h"

namespace sightglass {

class Graph;

// An input or output of a model.
struct TensorInfo {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  Quantization quantization;
  // Of inputs: bit d is set if the file leaves dimension d open. The size in `shape` is then only supposed.
  uint32_t open_dims = 0;
};

// A blocker that keeps a model off the GPU, for people.
struct Obstacle {
  std::string where;    // "CONV_2D #12 (output 'x')"; empty if no single operator is concerned
  std::string reason;   // why
  std::string nearest;  // a supported alternative, or a fix; empty if unknown
};
std::string to_string(const Obstacle& obstacle);
// Splits a message of the form "reason; fix" at the semicolon.
Obstacle make_obstacle(std::string where, const std::string& message);

// Activation that turns an output into probabilities.
enum class OutputActivation : uint8_t { kNone = 0, kSigmoid = 1, kSoftmax = 2 };

// Models with 8-bit and 16-bit integers, and float models with 8-bit weights. They are computed as in the TensorFlow
// Lite built-in kernels: results are equal or differ by one quantization step in places.
enum class QuantizedModels : uint8_t { kRefused, kAllowed };

// How a model presents images that its file holds in another order than 1 x height x width x channels, such as channels
// first, without a batch, or with merged rows and columns. Others are arranged if the operators prove their order: the
// model then has inputs and outputs of another shape than the file, and moves them itself.
enum class ImageOrder : uint8_t { kAsInFile, kArrangedInputs, kArranged };

// Overrides the shape that the file declares for an input. Fully convolutional models accept images of many sizes.
struct InputShape {
  std::string input;  // its name, or its index if no input has that name
  Shape shape;
  bool operator==(const InputShape&) const = default;
};

// In pixels.
struct ImageSize {
  int32_t width = 0, height = 0;
  bool operator==(const ImageSize&) const = default;
};

struct ModelOptions {
  QuantizedModels quantized_models = QuantizedModels::kAllowed;
  std::vector<InputShape> input_shapes = {};
  // Maximum memory of all models of this process in bytes: a file that would exceed it is rejected. PlanOptions has the
  // limits of the GPU.
  int64_t memory_limit = kDefaultMemoryLimit;
  // The size of the first input, for files that leave its height and width open; the rest of its shape is in the file.
  std::optional<ImageSize> open_size = {};
  std::optional<int32_t> open_batch = {};  // likewise, its number of images
  ImageOrder image_order = ImageOrder::kAsInFile;
  // Of a file with several entry points: the one to run, with the inputs and outputs of its subgraph. Empty: the first
  // subgraph. Models of two signatures do not share variables.
  std::string signature = {};
  Log log = {};  // reports the contents of the file
  bool operator==(const ModelOptions&) const = default;
};

class Model {
 public:
  // Reads the whole file, which may change afterward. Fails if it changes in the meantime. Errors name the file.
  static Result<std::shared_ptr<const Model>> load(const std::string& path, const ModelOptions& options = {});
  // Copies `bytes`.
  static Result<std::shared_ptr<const Model>> load(std::span<const std::byte> bytes, const std::string& name,
                                                   const ModelOptions& options = {});

  const std::string& name() const { return name_; }
  const std::vector<TensorInfo>& inputs() const { return inputs_; }
  const std::vector<TensorInfo>& outputs() const { return outputs_; }
  const ModelMetadata& metadata() const { return metadata_; }  // empty if the file has none
  // A range that the operators prove to contain every element of an output in every run: real numbers if it is
  // quantized. `input` contains all elements of the first input.
  ValueRange output_range(size_t output, const ValueRange& input = {}) const;
  // Whether the operators prove that every element is the index of a class: the result of ARG_MAX or ARG_MIN.
  bool output_holds_indices(size_t output) const;
  // For a model that ends in TFLite_Detection_PostProcess: indices of the outputs for boxes (1 x detections x 4:
  // minimum y, minimum x, maximum y, maximum x in fractions of the input), classes, scores and the number of
  // detections. Files list them in any order.
  std::optional<std::array<size_t, 4>> detection_outputs() const;

 private:
  friend struct ModelInternals;
  Model() = default;
  std::string name_;
  ModelMetadata metadata_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::shared_ptr<const Graph> graph_;
};

}  // namespace sightglass

// The values for a model's inputs, from what the command line says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_engine/input_transform.h"
#include "gpu_engine/model.h"
#include "gpu_engine/status.h"
#include "gpu_engine/tensor.h"

namespace sightglass {

struct InputOptions {
  // One per model input, in order: "random:SEED", "FILE.raw" (dense, little-endian), or a picture. Where fewer are
  // given, the rest are random: they continue the stream of the source before them, or start random:1 after a file.
  std::vector<std::string> sources;
  // What pictures (0 to 255) and random floats (0 to 1) are mapped to. Pictures: [0, 1] when absent.
  std::optional<std::pair<double, double>> range;
  // Instead of a range, for pictures: value = sample * scale + offset.
  std::optional<std::pair<double, double>> scale_offset;
  Fit fit = Fit::kStretch;
  int32_t largest_picture = 0;  // pixels in each direction: the most that a texture of the device has
};

struct ModelInput {
  HostTensor tensor;
  std::string source;  // for people
};

// One per input of the model. Errors name the input and the file.
Result<std::vector<ModelInput>> load_model_inputs(const Model& model, const InputOptions& options);

}  // namespace sightglass

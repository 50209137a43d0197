// Reads the values of model inputs from the sources on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sightglass/input_transform.h"
#include "sightglass/model.h"
#include "sightglass/status.h"
#include "sightglass/tensor.h"

namespace sightglass {

struct InputOptions {
  // One per model input, in order: "random:SEED", "FILE.raw" (tightly packed, little-endian), or an image. Missing
  // inputs are random: they continue the stream of the preceding source, or start random:1 after a file.
  std::vector<std::string> sources;
  // The range that images (0 to 255) and random floats (0 to 1) are mapped to. If unset, [0, 1] for images.
  std::optional<std::pair<double, double>> range;
  // For images, instead of a range: value = sample * scale + offset.
  std::optional<std::pair<double, double>> scale_offset;
  Fit fit = Fit::kStretch;
  int32_t largest_picture = 0;  // maximum pixels per axis of a texture of the device
};

struct ModelInput {
  HostTensor tensor;
  std::string source;  // for reports
};

// Parses "NAME=1x256x256x3" from the command line.
Result<InputShape> parse_input_shape(std::string_view text);

// One per input of the model. Errors name the input and the file.
Result<std::vector<ModelInput>> load_model_inputs(const Model& model, const InputOptions& options);

}  // namespace sightglass

// What a model file says about itself for people and programs around it: TensorFlow Lite's metadata, format "M001". The
// engine computes nothing from it. All of it comes from the file and is checked for structure only.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sightglass {

// Of an input or output, in the order of the model's inputs or outputs.
struct TensorMetadata {
  std::string name, description;
  // How an input is made from raw numbers, for pictures those from 0 to 255: (x - mean) / deviation, one pair for all
  // channels or one for each. Both are empty when the file does not say; no deviation is 0.
  std::vector<float> mean, deviation;
  // Of the numbers along the last dimension, or of the values. Null when there are none; tensors that name the same
  // file share it, as copies do.
  std::shared_ptr<const std::vector<std::string>> label_list;
  const std::vector<std::string>& labels() const;  // an empty list when there are none
};

struct ModelMetadata {
  std::string name, description, version, author, license;
  std::vector<TensorMetadata> inputs, outputs;  // may be fewer than the model has
  std::vector<std::string> problems;            // what could not be read, and why; for a warning
};

}  // namespace sightglass

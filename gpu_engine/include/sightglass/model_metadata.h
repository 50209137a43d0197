// Descriptive metadata of a model file, in the TensorFlow Lite format "M001". The engine computes nothing from it. Its
// structure is checked, its contents are not.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sightglass {

// One input or output, in model order.
struct TensorMetadata {
  std::string name, description;
  // How to normalize an input, for images from values 0 to 255: (x - mean) / deviation, one pair for all channels or
  // one per channel. Both are empty if unspecified. No deviation is 0.
  std::vector<float> mean, deviation;
  // Labels of the elements along the last dimension, or of the values. Null if there are none. Tensors that name the
  // same file share the list, and so do copies.
  std::shared_ptr<const std::vector<std::string>> label_list;
  const std::vector<std::string>& labels() const;  // empty if there are none
};

struct ModelMetadata {
  std::string name, description, version, author, license;
  std::vector<TensorMetadata> inputs, outputs;  // may be fewer than the model has
  std::vector<std::string> problems;            // unreadable parts and the reasons; for a warning
};

}  // namespace sightglass

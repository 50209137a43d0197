// Descriptive metadata of a model file, in the TensorFlow Lite format "M001" or as exporters attach it. The engine
// computes nothing from it. Its structure is checked, its contents are not.
#pragma once

#include <array>
#include <cstdint>
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

// What the exporter of Ultralytics notes in a text that it attaches to the file: metadata.json, metadata.yaml,
// temp_meta.txt, or meta.txt.
struct ExporterNotes {
  std::string task;                         // "detect", "segment", "pose", "classify", "obb"; empty: not noted
  std::vector<std::string> class_names;     // by class; empty for classes without a name
  int32_t height = 0, width = 0;            // of the training images in pixels; 0: not noted
  int32_t stride = 0;                       // of the coarsest cells in pixels; 0: not noted
  int32_t points = 0, values_of_point = 0;  // per object of a pose model; 0: not noted
};

// How a detector encodes boxes, as MediaPipe attaches it ("DETECTOR_METADATA").
struct DetectorNotes {
  std::vector<std::array<float, 4>> anchors;  // by box: center x and y, width, height, in fractions of the input
  int32_t classes = 0, values = 0;            // scores and values per box
  int32_t points = 0, first_point = 0, point_values = 0;              // per box; index of a value; values per point
  float x_scale = 1, y_scale = 1, width_scale = 1, height_scale = 1;  // divisors of values
  bool exponential_sizes = false, sigmoid_scores = false;             // to be applied
};

struct ModelMetadata {
  std::string name, description, version, author, license;
  std::vector<TensorMetadata> inputs, outputs;  // may be fewer than the model has
  ExporterNotes exporter;
  DetectorNotes detector;             // no anchors: none
  std::vector<std::string> problems;  // unreadable parts and the reasons; for a warning
};

}  // namespace sightglass

// Detectors whose raw outputs are recognized by their shapes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "infer/infer_model.h"

namespace sightglass {

struct KnownDetector {
  InferModel::RawDetector detector;
  std::vector<std::string> labels;  // may be empty
  bool letterbox = true;
  float input_scale = 1, input_offset = 0;  // from samples in [0,1] to input values, unless specified elsewhere
};

// Recognizes BlazeFace, the BlazePose and palm detectors, and SSD of 300 or 320 pixels by the input size, the number of
// boxes, and the number of values per box. Returns nothing for other models.
std::optional<KnownDetector> find_raw_detector(const Model& model);

}  // namespace sightglass

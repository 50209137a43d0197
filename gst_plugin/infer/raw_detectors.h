// The detectors whose raw outputs are known by their shapes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "infer/infer_model.h"

namespace sightglass {

struct KnownDetector {
  InferModel::RawDetector detector;
  std::vector<std::string> labels;  // may be none
  bool letterbox = true;
  float input_scale = 1, input_offset = 0;  // from samples in [0,1] to values of the input, if nothing else says
};

// BlazeFace, BlazePose's and the palm's detectors, and SSD of 300 or 320 pixels: by the size of the input, the number
// of boxes, and that of values to a box. Nothing when the model is none of them.
std::optional<KnownDetector> find_raw_detector(const Model& model);

}  // namespace sightglass

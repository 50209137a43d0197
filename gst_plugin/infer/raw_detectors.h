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
};

// BlazeFace, BlazePose's and the palm's detectors, and SSD of 300 or 320 pixels: by the numbers of boxes and of numbers
// to a box. Nothing when the model is none of them.
std::optional<KnownDetector> find_raw_detector(const Model& model);

}  // namespace sightglass

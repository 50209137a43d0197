// The region of the frame that a landmark model runs on: around a face, hand or eye, from a detection in the first
// frame and from its landmarks in the next ones.
#pragma once

#include <cstdint>

#include "detect/regions.h"
#include "infer/infer_model.h"

namespace sightglass {

// From a detection: the MediaPipe rules for face and palm detectors. Eyes are keypoints of BlazeFace.
RegionRule first_region_rule(InferModel::Subject subject);

// From landmarks.
struct NextRegionRule {
  RegionRule square;
  int32_t landmarks = -1;  // landmarks that the box encloses: bit n for landmark n, -1 for all
};
NextRegionRule next_region_rule(InferModel::Subject subject);

}  // namespace sightglass

// Where in the frame a landmark model looks: around a face, a hand or an eye, as a detector finds it, and in the next
// frame as its landmarks do.
#pragma once

#include <cstdint>

#include "detect/regions.h"
#include "infer/infer_model.h"

namespace sightglass {

// From a detection: MediaPipe's rules for the detectors of faces and palms. Eyes are those that BlazeFace finds.
RegionRule first_region_rule(InferModel::Subject subject);

// From landmarks.
struct NextRegionRule {
  RegionRule square;
  int32_t landmarks = -1;  // that the box is around: bit n for landmark n, -1 for all
};
NextRegionRule next_region_rule(InferModel::Subject subject);

}  // namespace sightglass

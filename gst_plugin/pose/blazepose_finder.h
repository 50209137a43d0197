// BlazePose's two stages: a detector that finds somebody in the frame, and a model that finds the landmarks of the
// person in a region. The region comes from the landmarks of the frame before, or from the detector where there is
// nobody to follow. All of that is decided on the GPU: the detector runs, and the landmarks' model, if a buffer says so
// (Session::run_if()), and a buffer says where in the frame the latter's input lies.
#pragma once

#include <memory>

#include "pose/person_finder.h"

namespace sightglass {

struct BlazePosePlans {
  PoseModel detector_model, landmarks_model;
  std::shared_ptr<const Plan> detector, landmarks;
};

Result<std::unique_ptr<PersonFinder>> make_blazepose_finder(const std::shared_ptr<ShareGroup>& group,
                                                            BlazePosePlans plans);

}  // namespace sightglass

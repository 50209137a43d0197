// BlazePose in two stages: a detector that finds people in the frame, and a landmark model that finds the keypoints of
// the person in a region. The region comes from the landmarks of the previous frame, or from the detector if nobody is
// tracked. The GPU makes these decisions: one buffer determines whether the models run (Session::run_if()), another the
// position of the landmark model's input in the frame.
#pragma once

#include <memory>

#include "pose/person_finder.h"

namespace sightglass {

struct BlazePosePlans {
  PoseModel detector_model, landmarks_model;
  std::shared_ptr<const Plan> detector, landmarks;
};

// Frames are of `kind`; the models are planned for FrameKind::kRgba, the kind of their sampled input.
Result<std::unique_ptr<PersonFinder>> make_blazepose_finder(const std::shared_ptr<ShareGroup>& group,
                                                            BlazePosePlans plans, FrameKind kind);

}  // namespace sightglass

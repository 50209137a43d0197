// MoveNet for one person, who is looked at more closely once seen: the region for the next frame is chosen on the GPU,
// and is where the model's input lies then.
#pragma once

#include <memory>

#include "pose/person_finder.h"

namespace sightglass {

Result<std::unique_ptr<PersonFinder>> make_movenet_finder(const std::shared_ptr<ShareGroup>& group,
                                                          const PoseModel& model, std::shared_ptr<const Plan> plan);

}  // namespace sightglass

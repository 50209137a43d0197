// MoveNet for one person. Once it finds the person, it zooms in: the GPU chooses the region of the next frame that
// becomes the model input.
#pragma once

#include <memory>

#include "pose/person_finder.h"

namespace sightglass {

Result<std::unique_ptr<PersonFinder>> make_movenet_finder(const std::shared_ptr<ShareGroup>& group,
                                                          const PoseModel& model, std::shared_ptr<const Plan> plan);

}  // namespace sightglass

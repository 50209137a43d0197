// The parts of the arena that a step binds, for arenas that are larger than a storage block.
#pragma once

#include "plan/plan_data.h"
#include "sightglass/status.h"

namespace sightglass {

// Gives every step a window of the arena per storage block that covers the tensors that the step uses through it. Call
// it after plan_memory(), for a plan without buffer textures. Fails if a window exceeds a storage block of the device.
Status plan_windows(PlanData& plan);

// The block of the arena from which a step counts the offset of one of its tensors.
int64_t window_base(const Step& step, int tensor);

}  // namespace sightglass

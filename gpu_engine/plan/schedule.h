// Order and parallelism of steps.
#pragma once

#include "plan/plan_data.h"

namespace sightglass {

// Assigns every step the earliest level at which all its inputs are ready, sorts the steps by level (stable), and
// determines the levels during which each tensor is live. Steps of one level do not depend on each other, so barriers
// are needed only between levels.
void schedule(PlanData& plan);

}  // namespace sightglass

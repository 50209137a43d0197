// The order of steps, and which of them may run at the same time.
#pragma once

#include "plan/plan_data.h"

namespace sightglass {

// Gives every step the earliest level at which all that it reads is there, sorts the steps by level (stable), and
// gives every tensor the levels during which it holds something. Steps of one level do not depend on each other, so a
// barrier is needed between levels only.
void schedule(PlanData& plan);

}  // namespace sightglass

// When steps run, and where tensors lie.
#pragma once

#include "plan/plan_data.h"

namespace sightglass {

// Gives every step the earliest level at which all that it reads is there, sorts the steps by level (stable), and
// gives every tensor the levels during which it holds something. Steps of one level do not depend on each other, so a
// barrier is needed between levels only.
void schedule(PlanData& plan);

// Gives every tensor its place in the arena: tensors that are alive at the same level never overlap. As levels are
// separated by barriers, reusing memory makes no new dependency. Fills in the memory report.
Status plan_memory(PlanData& plan);

}  // namespace sightglass

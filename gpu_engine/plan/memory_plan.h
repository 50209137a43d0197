// The layout of the arena.
#pragma once

#include "gpu_engine/status.h"
#include "plan/plan_data.h"

namespace sightglass {

// Gives every tensor its place in the arena: tensors that are alive at the same level never overlap. As levels are
// separated by barriers, reusing memory makes no new dependency. Fills in the memory report.
Status plan_memory(PlanData& plan);

}  // namespace sightglass

// The layout of the arena.
#pragma once

#include "plan/plan_data.h"
#include "sightglass/status.h"

namespace sightglass {

// Places every tensor in the arena. Tensors that are live at the same level never overlap. Barriers separate levels, so
// reusing memory adds no dependency. Fills in the memory report.
Status plan_memory(PlanData& plan);

}  // namespace sightglass

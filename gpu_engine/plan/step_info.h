// Properties of a step that are known before it runs.
#pragma once

#include <span>

#include "plan/plan_data.h"

namespace sightglass {

// Divides the multiply-adds and the work of a node among its steps: equal parts for the first step with weights (the
// last step, if none has weights) and for the steps with the same program.
void share_work(std::span<Step> steps, int64_t multiply_adds, double work);

StepInfo step_info(const PlanData& plan, const Step& step);

}  // namespace sightglass

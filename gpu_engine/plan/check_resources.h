// Whether a plan keeps to PlanOptions::resources.
#pragma once

#include "plan/plan_data.h"

namespace sightglass {

// Of a session, in bytes; with the weights, which sessions of one group share.
int64_t memory_of(const PlanData& plan);

Status check_memory(const PlanData& plan);

// Divides a long run into parts (Step::ends_part).
Status check_time(PlanData& plan);

}  // namespace sightglass

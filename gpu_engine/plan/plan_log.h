// Log messages about planning.
#pragma once

#include "plan/plan_data.h"
#include "rewrites/rewrites.h"
#include "sightglass/log.h"

namespace sightglass {

void log_rewrites(const RewriteReport& report, const Log& log);
// Logs the finished plan of the model `name`: steps, operators on the CPU, and totals.
void log_plan(const std::string& name, const PlanData& plan, const Stopwatch& time);

}  // namespace sightglass

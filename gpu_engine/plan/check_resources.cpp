#include "plan/check_resources.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "gpu_engine/memory_limit.h"
#include "plan/step_info.h"

namespace sightglass {

namespace {

double seconds_of(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

std::string text_of(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

Status too_slow(const std::string& subject, double seconds, const char* limit, double allowed) {
  return resource_exhausted(subject + " takes about " + text_of(seconds) +
                            " on a slow device of this kind, longer than " + limit + " (" + text_of(allowed) +
                            "); raise " + limit + " if you trust the model");
}

}  // namespace

int64_t memory_of(const PlanData& plan) {
  int64_t bytes = plan.arena_size * kBlockBytes + plan.memory.weight_bytes;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.options.outputs[i].target != OutputSpec::Target::kTexture) continue;
    constexpr int64_t kLargestTexel = 16;
    bytes += kLargestTexel * plan.outputs[i].shape.w * plan.outputs[i].shape.h;
  }
  return bytes;
}

Status check_memory(const PlanData& plan) {
  const int64_t bytes = memory_of(plan), limit = plan.options.resources.memory_bytes;
  return bytes <= limit ? Status() : beyond_memory_limit("it needs", bytes, limit);
}

Status check_time(PlanData& plan) {
  // Far below the watchdogs of drivers, which end a submission after 2 s or more; far above a run at video rate.
  constexpr double kPart = 0.25;
  const double dispatch_limit = seconds_of(plan.options.resources.dispatch_time);
  const double run_limit = seconds_of(plan.options.resources.run_time);
  double run = 0, part = 0;
  for (Step& step : plan.steps) {
    const double seconds = step_info(plan, step).seconds;
    if (step.cpu_stretch < 0 && seconds > dispatch_limit) {
      return too_slow(step.node + ": one dispatch", seconds, "dispatch-limit", dispatch_limit);
    }
    run += seconds;
    part += seconds;
    step.ends_part = part >= kPart;
    if (step.ends_part) part = 0;
  }
  return run <= run_limit ? Status() : too_slow("one run", run, "run-limit", run_limit);
}

}  // namespace sightglass

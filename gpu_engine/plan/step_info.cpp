#include "plan/step_info.h"

#include <algorithm>
#include <set>

namespace sightglass {

void share_work(std::span<Step> steps, int64_t multiply_adds, double work) {
  if (steps.empty()) return;
  const auto weighty = std::ranges::find_if(steps, [](const Step& step) { return step.weight_bytes > 0; });
  const int program = weighty != steps.end() ? weighty->program : steps.back().program;
  int64_t left = std::ranges::count(steps, program, &Step::program);
  const double share = work / static_cast<double>(left);
  for (Step& step : steps) {
    if (step.program != program) continue;
    step.work = share;
    step.multiply_adds = multiply_adds / left;
    multiply_adds -= step.multiply_adds;
    --left;
  }
}

namespace {

double seconds(const PlanData& plan, const Step& step, const StepInfo& info) {
  // In multiply-adds of the time of one byte and of the overhead of a step, and per second of the CPU.
  constexpr double kPerByte = 8, kPerStep = 1 << 16, kOnCpu = 200e6;
  const auto bytes = static_cast<double>(info.read_bytes + info.written_bytes + info.weight_bytes);
  const double speed = step.cpu_stretch >= 0 ? kOnCpu : plan.limits.multiply_adds_per_second;
  return (kPerStep + std::max(step.work, kPerByte * bytes)) / speed;
}

}  // namespace

StepInfo step_info(const PlanData& plan, const Step& step) {
  StepInfo info;
  info.node = step.node;
  info.kernel = step.cpu_stretch >= 0 ? "CPU" : step.kernel;
  info.multiply_adds = step.multiply_adds;
  info.weight_bytes = step.weight_bytes;
  const auto bytes = [&plan](const std::vector<int>& tensors) {
    int64_t sum = 0;
    for (const int id : std::set<int>(tensors.begin(), tensors.end())) {
      sum += plan.tensors[static_cast<size_t>(id)].size * kBlockBytes;
    }
    return sum;
  };
  info.read_bytes = bytes(step.reads);
  info.written_bytes = bytes(step.writes);
  info.groups = step.groups;
  info.level = step.level;
  info.seconds = seconds(plan, step, info);
  return info;
}

}  // namespace sightglass

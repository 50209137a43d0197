#include "plan/schedule.h"

#include <algorithm>

#include "graph/stable_sort.h"

namespace sightglass {

namespace {

int level_of(const Step& step, const std::vector<int>& ready, const std::vector<int>& free) {
  int level = 0;
  for (const int tensor : step.reads) level = std::max(level, ready[static_cast<size_t>(tensor)]);
  for (const int tensor : step.writes) level = std::max(level, free[static_cast<size_t>(tensor)]);
  return level;
}

}  // namespace

void schedule(PlanData& plan) {
  // The first level at which all writes to a tensor can be read.
  std::vector<int> ready(plan.tensors.size(), 0);
  // The first level at which all earlier reads of it are complete: a state exists before it is written.
  std::vector<int> free(plan.tensors.size(), 0);
  // CPU steps run in order: their results stay available for later steps.
  int cpu_level = 0;
  for (Step& step : plan.steps) {
    step.level = level_of(step, ready, free);
    if (step.cpu_stretch >= 0) {
      step.level = std::max(step.level, cpu_level);
      cpu_level = step.level + 1;
    }
    for (const int tensor : step.reads) {
      int& level = free[static_cast<size_t>(tensor)];
      if (plan.tensors[static_cast<size_t>(tensor)].persistent) level = std::max(level, step.level + 1);
    }
    for (const int written : step.writes) {
      // And the tensors that contain it.
      for (int tensor = written; tensor >= 0; tensor = plan.tensors[static_cast<size_t>(tensor)].whole) {
        int& level = ready[static_cast<size_t>(tensor)];
        level = std::max(level, step.level + 1);
      }
    }
    plan.levels = std::max(plan.levels, step.level + 1);
  }
  stable_sort_by(plan.steps, &Step::level);

  std::vector<bool> seen(plan.tensors.size(), false);
  const auto touch = [&](int part, int level) {
    const int id = region_of(plan.tensors, part);
    PlanTensor& tensor = plan.tensors[static_cast<size_t>(id)];
    if (!seen[static_cast<size_t>(id)]) tensor.first_level = tensor.last_level = level;
    seen[static_cast<size_t>(id)] = true;
    tensor.first_level = std::min(tensor.first_level, level);
    tensor.last_level = std::max(tensor.last_level, level);
  };
  for (const Step& step : plan.steps) {
    for (const int id : step.writes) touch(id, step.level);
    for (const int id : step.reads) touch(id, step.level);
  }
  // Host-read outputs must survive until the end, host-written inputs any number of runs.
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.options.outputs[i].target == OutputSpec::Target::kHost) touch(plan.outputs[i].tensor, plan.levels);
  }
  for (PlanTensor& tensor : plan.tensors) {
    if (!tensor.persistent) continue;
    tensor.first_level = 0;
    tensor.last_level = plan.levels;
  }
}

}  // namespace sightglass

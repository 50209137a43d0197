#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "gpu_engine/files.h"
#include "graph/stable_sort.h"
#include "plan/planner.h"

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

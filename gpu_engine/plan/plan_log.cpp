#include "plan/plan_log.h"

namespace sightglass {

namespace {

std::string megabytes(int64_t bytes) {
  std::string number = std::to_string(static_cast<double>(bytes) / 1e6);  // six digits after the point
  number.resize(number.size() - 4);
  return number + " MB";
}

std::string describe(const Step& step, size_t place) {
  const std::string what =
      "step " + std::to_string(place) + ", level " + std::to_string(step.level) + ": " + step.node + ": " + step.kernel;
  if (step.cpu_stretch >= 0) return what;
  const auto& [x, y, z] = step.groups;
  return what + ", " + std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) + " work groups";
}

}  // namespace

void log_rewrites(const RewriteReport& report, const Log& log) {
  if (!log.wants(LogLevel::kDebug)) return;
  for (const RewriteReport::Entry& entry : report.applied) {
    log.debug([&] { return "rewrite " + entry.rewrite + " applied at " + entry.node; });
  }
  for (const RewriteReport::Entry& entry : report.declined) {
    log.debug([&] { return "rewrite " + entry.rewrite + " declined at " + entry.node + ": " + entry.reason; });
  }
}

void log_plan(const std::string& name, const PlanData& plan, const Stopwatch& time) {
  const Log& log = plan.options.log;
  if (!log.wants(LogLevel::kInfo)) return;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    log.debug([&] { return describe(plan.steps[i], i); });
  }
  for (const std::string& on_cpu : plan.fallback.operators) {
    log.debug([&] { return "on the CPU: " + on_cpu; });
  }
  const MemoryReport& memory = plan.memory;
  log.debug([&] {
    return name + ": memory: " + megabytes(memory.arena_bytes) + " for activations (" +
           megabytes(memory.lower_bound_bytes) + " live at once, " + megabytes(memory.tensor_bytes) +
           " without sharing), " + megabytes(memory.constant_bytes) + " for constants, " +
           megabytes(memory.output_bytes) + " for outputs, " + megabytes(memory.weight_bytes) + " for weights";
  });
  log.info([&] {
    return name + ": " + std::to_string(plan.steps.size() - plan.cpu_stretches.size()) + " dispatches in " +
           std::to_string(plan.levels) + " levels, " + std::to_string(plan.programs.size()) + " shader programs, " +
           (plan.options.precision == Precision::kFp16 ? "fp16" : "fp32") + ", planned in " + time.text();
  });
}

}  // namespace sightglass

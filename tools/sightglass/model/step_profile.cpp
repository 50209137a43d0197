#include "model/step_profile.h"

#include <algorithm>

namespace sightglass {

int64_t StepProfile::total_ns() const {
  int64_t sum = 0;
  for (const ProfiledStep& step : steps) sum += step.ns;
  return sum;
}

Result<StepProfile> profile_session(Session& session, StepTimer& timer, const DeviceSpeed& device, int passes) {
  StepProfile profile;
  profile.method = timer.method();
  profile.passes = passes;
  profile.device = device;
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> times, median_step_times(session, timer, passes));
  std::vector<StepInfo> infos = session.plan().steps();
  for (size_t i = 0; i < infos.size(); ++i) profile.steps.push_back({std::move(infos[i]), times.at(i)});
  return profile;
}

namespace {

double arithmetic_ns(const ProfiledStep& step, const DeviceSpeed& device) {
  return static_cast<double>(step.info.multiply_adds) / device.multiply_adds_per_second * 1e9;
}

double memory_ns(const ProfiledStep& step, const DeviceSpeed& device) {
  return static_cast<double>(step.bytes()) / device.copied_bytes_per_second * 1e9;
}

}  // namespace

double roofline_ns(const ProfiledStep& step, const DeviceSpeed& device) {
  return std::max(arithmetic_ns(step, device), memory_ns(step, device));
}

bool bound_by_memory(const ProfiledStep& step, const DeviceSpeed& device) {
  return memory_ns(step, device) > arithmetic_ns(step, device);
}

double gflops(int64_t multiply_adds, double ns) {
  return ns > 0 ? 2 * static_cast<double>(multiply_adds) / ns : 0;  // one operation per nanosecond is 10^9 per second
}

std::vector<KernelTotal> kernel_totals(const StepProfile& profile) {
  std::vector<KernelTotal> totals;
  for (const ProfiledStep& step : profile.steps) {
    auto total = std::ranges::find(totals, step.info.kernel, &KernelTotal::kernel);
    if (total == totals.end()) {
      total = totals.insert(totals.end(), KernelTotal());
      total->kernel = step.info.kernel;
    }
    ++total->steps;
    total->ns += step.ns;
    total->multiply_adds += step.info.multiply_adds;
    total->bytes += step.bytes();
    total->roofline_ns += roofline_ns(step, profile.device);
  }
  std::ranges::stable_sort(totals, std::greater<>(), &KernelTotal::ns);
  return totals;
}

const char* name_of(StepTimer::Method method) {
  return method == StepTimer::Method::kTimerQueries ? "timer queries" : "fences";
}

}  // namespace sightglass

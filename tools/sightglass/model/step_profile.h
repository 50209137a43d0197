// Profiles a model: its steps, timed one by one and compared with the maximum speed of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu_engine/device_family.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/step_timer.h"

namespace sightglass {

struct ProfiledStep {
  StepInfo info;
  int64_t ns = 0;  // median of the passes

  int64_t bytes() const { return info.weight_bytes + info.read_bytes + info.written_bytes; }
};

struct StepProfile {
  StepTimer::Method method = StepTimer::Method::kFences;
  int passes = 0;
  DeviceSpeed device;
  std::vector<ProfiledStep> steps;  // in the order in which they run

  int64_t total_ns() const;
};

// The sum over all steps of one shader and variant.
struct KernelTotal {
  std::string kernel;
  int steps = 0;
  int64_t ns = 0, multiply_adds = 0, bytes = 0;
  double roofline_ns = 0;  // the sum of the roofline times of the steps
};

Result<StepProfile> profile_session(Session& session, StepTimer& timer, const DeviceSpeed& device, int passes);

// The time of a step on this device if only arithmetic or only memory limited it, whichever is longer. Steps whose
// tensors stay in caches can be faster.
double roofline_ns(const ProfiledStep& step, const DeviceSpeed& device);
bool bound_by_memory(const ProfiledStep& step, const DeviceSpeed& device);
double gflops(int64_t multiply_adds, double ns);

// Longest first.
std::vector<KernelTotal> kernel_totals(const StepProfile& profile);

const char* name_of(StepTimer::Method method);

// A table of the steps, longest first, and one of the kernels.
std::string format_text(const StepProfile& profile);
nlohmann::ordered_json profile_json(const StepProfile& profile);
nlohmann::ordered_json device_speed_json(const DeviceSpeed& device);
// For chrome://tracing, Perfetto, and similar tools: the steps end to end, in microseconds.
std::string format_trace(const StepProfile& profile, const std::string& title);

}  // namespace sightglass

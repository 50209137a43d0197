// What a model may take from the machine. A file of a few kilobytes can describe tensors of many gigabytes and runs of
// many minutes; most GPUs cannot interrupt a dispatch, and nothing else is drawn until it ends.
#pragma once

#include <chrono>
#include <cstdint>

namespace sightglass {

inline constexpr int64_t kDefaultMemoryLimit = int64_t{1} << 30;  // bytes

struct ResourceLimits {
  // Files and GPU memory of all models of this process, in bytes. A plan that is larger, and a session that would
  // exceed the rest, fail.
  int64_t memory_bytes = kDefaultMemoryLimit;
  // Time of one dispatch, as estimated for a slow device of the family: a plan with a longer one fails.
  std::chrono::nanoseconds dispatch_time = std::chrono::seconds(2);
  // Time of one run, estimated by the plan and measured by the session: a plan that takes longer, and a run that takes
  // longer, fail.
  std::chrono::nanoseconds run_time = std::chrono::seconds(15);
  bool operator==(const ResourceLimits&) const = default;
};

}  // namespace sightglass

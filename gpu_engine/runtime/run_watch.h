// Runs in parts, so that long runs do not block the GPU for other work, and their time limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "plan/plan_data.h"
#include "sightglass/gl_api.h"
#include "sightglass/plan.h"
#include "sightglass/status.h"

namespace sightglass {

// Keeps a long run from blocking the GPU for other work, and from lasting forever.
// Of one run, from construction. At most two of its parts are on the GPU at a time, so it can end between parts.
class RunWatch {
 public:
  RunWatch(const GlApi& gl, std::chrono::nanoseconds limit) : gl_(gl), limit_(limit), end_(Clock::now() + limit) {}
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // Call it after the last step of a part: submits the part, and waits until the GPU has completed the one before.
  // Fails if the run has reached its limit.
  Status end_part();

 private:
  using Clock = std::chrono::steady_clock;

  const GlApi& gl_;
  const std::chrono::nanoseconds limit_;
  const Clock::time_point end_;
  GLsync last_ = nullptr;  // after the last part
};

// Divides a run into parts of a given size. No GL.
class RunInParts {
 public:
  RunInParts() = default;
  // Both of one plan, in the same order.
  RunInParts(std::span<const Step> steps, std::span<const StepInfo> infos);

  bool empty() const { return work_.empty(); }
  // One past the last step of the part that starts at step `first` and has about `share` of the whole work.
  size_t end_of_part(size_t first, double share) const;
  // Fraction of the whole work in the steps before `end`, which is at least 1; in (0,1].
  double done(size_t end) const { return work_[end - 1] / work_.back(); }

 private:
  std::vector<double> work_;  // up to and including each step
  size_t first_end_ = 0;      // the first part has at least the steps before this one
  size_t last_begin_ = 0;     // no part starts after this step
};

}  // namespace sightglass

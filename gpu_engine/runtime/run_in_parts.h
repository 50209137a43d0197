// Divides a run into parts of a given size. No GL.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/plan_data.h"
#include "sightglass/plan.h"

namespace sightglass {

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

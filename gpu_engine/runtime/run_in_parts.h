// Where a run may be cut, and where it is for parts of a given size. No GL.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu_engine/plan.h"
#include "plan/plan_data.h"

namespace sightglass {

class RunInParts {
 public:
  RunInParts() = default;
  // Both of one plan, in the same order.
  RunInParts(std::span<const Step> steps, std::span<const StepInfo> infos);

  bool empty() const { return work_.empty(); }
  // One past the last step of the part that begins with step `first` and has about `share` of the whole work.
  size_t end_of_part(size_t first, double share) const;
  // How much of the whole work the steps before `end`, one at least, have, in (0,1].
  double done(size_t end) const { return work_[end - 1] / work_.back(); }

 private:
  std::vector<double> work_;  // up to and with each step
  size_t first_end_ = 0;      // the first part has at least the steps before
  size_t last_begin_ = 0;     // no cut lies behind the begin of this step
};

}  // namespace sightglass

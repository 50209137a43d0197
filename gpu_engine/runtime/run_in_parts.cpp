#include "runtime/run_in_parts.h"

#include <algorithm>

namespace sightglass {

RunInParts::RunInParts(std::span<const Step> steps, std::span<const StepInfo> infos) : last_begin_(steps.size()) {
  double sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    sum += infos[i].seconds;
    work_.push_back(sum);
    if (steps[i].input >= 0) first_end_ = i + 1;
    if (steps[i].output >= 0) last_begin_ = std::min(last_begin_, i);
  }
}

size_t RunInParts::end_of_part(size_t first, double share) const {
  const double done = first == 0 ? 0 : work_[first - 1];
  const auto found = std::ranges::lower_bound(work_, done + share * work_.back());
  // Up to the step in which the share ends; a run without steps has one part.
  size_t end = static_cast<size_t>(found - work_.begin()) + 1;
  if (first == 0) end = std::max(end, first_end_);
  if (end > last_begin_) end = work_.size();
  return std::min(end, work_.size());
}

}  // namespace sightglass

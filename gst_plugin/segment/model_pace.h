// How long the model takes on the GPU, and how much of it fits into a frame. No GL.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sightglass {

class ModelPace {
 public:
  // `share`, in (0,1], of a run was measured to take so long.
  void add(uint64_t ns, double share) {
    constexpr double kRuns = 3;  // by then, what was known before counts for a third
    const double kept = std::exp(-share / kRuns);
    ns_ = kept * ns_ + static_cast<double>(ns);
    share_ = kept * share_ + share;
  }
  // Of a whole run, averaged over the last few; 0 before the first.
  double run_ns() const { return share_ > 0 ? ns_ / share_ : 0; }
  // How much of a run takes `budget_ns`, in (0,1]; all of it where that is 0, which is no limit, or nothing is known.
  double share_of(uint64_t budget_ns) const {
    constexpr double kLeast = 1e-6;
    if (budget_ns == 0 || ns_ <= 0) return 1;
    return std::clamp(static_cast<double>(budget_ns) / run_ns(), kLeast, 1.0);
  }

 private:
  double ns_ = 0, share_ = 0;  // decaying sums
};

}  // namespace sightglass

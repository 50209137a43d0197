// How long models take on the GPU, and how much of a run fits into a frame. Makes no GL calls.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "gl/gpu_timer.h"

namespace sightglass {

class ModelPace {
 public:
  // `share`, in (0,1], of a run was measured to take so long.
  void add(double ns, double share) {
    constexpr double kRuns = 3;  // by then, what was known before counts for a third
    const double kept = std::exp(-share / kRuns);
    ns_ = kept * ns_ + ns;
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

// Models that an element runs one after the other, at most.
inline constexpr size_t kMostModels = GpuTimer::kModels;
// Nanoseconds of the GPU for a run, by model; 0: unknown.
using ModelTimes = std::array<double, kMostModels>;

// Of all models of an element.
class ModelPaces {
 public:
  const ModelPace& of(size_t model) const { return paces_[model]; }
  ModelTimes times() const;
  // For a run of the element, in which each model may run several times; 0: unknown.
  double run_ns() const { return run_.run_ns(); }
  // A run of one model was measured.
  void add(size_t model, double ns) { paces_[model].add(ns, 1); }
  // Each run of the element has `runs` runs of models. The GPU took `ns` for these shares of them. `may_skip`: it
  // decides whether a model runs at all.
  void add(uint64_t ns, const GpuTimer::Shares& shares, size_t runs, bool may_skip);

 private:
  std::array<ModelPace, kMostModels> paces_;
  ModelPace run_;
};

}  // namespace sightglass

// How long models take on the GPU, how much of a run fits into a frame, and the time between runs. No GL.
#pragma once

#include <gst/gst.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "gl/gpu_timer.h"
#include "sightglass/resource_limits.h"
#include "sightglass/status.h"

namespace sightglass {

// Tracks one model.
class ModelPace {
 public:
  // Adds a measurement: `share`, in (0,1], of a run took `ns`.
  void add(double ns, double share) {
    constexpr double kRuns = 3;  // after so many runs, earlier measurements have about a third of the weight
    const double kept = std::exp(-share / kRuns);
    ns_ = kept * ns_ + ns;
    share_ = kept * share_ + share;
  }
  // Time of a whole run, averaged over the last few; 0 before the first.
  double run_ns() const { return share_ > 0 ? ns_ / share_ : 0; }
  // The share of a run, in (0,1], that fits into `budget_ns`; 1 if that is 0 (no limit) or nothing is known.
  double share_of(uint64_t budget_ns) const {
    constexpr double kLeast = 1e-6;
    if (budget_ns == 0 || ns_ <= 0) return 1;
    return std::clamp(static_cast<double>(budget_ns) / run_ns(), kLeast, 1.0);
  }

 private:
  double ns_ = 0, share_ = 0;  // decaying sums
};

// Maximum number of models that an element runs in sequence.
inline constexpr size_t kMostModels = GpuTimer::kModels;
// GPU time in nanoseconds per run of each model; 0: unknown.
using ModelTimes = std::array<double, kMostModels>;

// Paces of all models of an element.
class ModelPaces {
 public:
  const ModelPace& of(size_t model) const { return paces_[model]; }
  ModelTimes times() const;
  // Time of a run of the element, in which each model may run several times; 0: unknown.
  double run_ns() const { return run_.run_ns(); }
  // Adds the time of one run of one model.
  void add(size_t model, double ns) { paces_[model].add(ns, 1); }
  // Each run of the element consists of `runs` model runs. The GPU took `ns` for these shares of them. `may_skip`: the
  // GPU decides whether a model runs at all.
  void add(uint64_t ns, const GpuTimer::Shares& shares, size_t runs, bool may_skip);

 private:
  std::array<ModelPace, kMostModels> paces_;
  ModelPace run_;
};

// Fails if a run of so many stages took longer than `run-limit` allows each of them.
Status check_run_time(uint64_t model_ns, const ResourceLimits& limits, size_t stages);

// Decides which frames the model runs on: every Nth one, counted from its last run.
class Cadence {
 public:
  // The next frame is unrelated to the previous ones.
  void restart() { since_run_ = 0; }
  // Whether the model is due to run on the next frame. Always true for the first one.
  bool is_due(uint32_t interval) const { return since_run_ == 0 || since_run_ >= interval; }
  // Call once per frame, after is_due(). `ran`: a run began on this frame.
  void count(bool ran) {
    if (ran) {
      since_run_ = 1;
    } else if (since_run_ > 0) {
      ++since_run_;
    }
  }

 private:
  uint32_t since_run_ = 0;  // frames since the last run, including its own; 0: no run yet
};

// The time between frames, for filters. A frame with an earlier time is unrelated to the previous one.
class FrameClock {
 public:
  // Seconds since the previous frame; below 0: unrelated.
  float seconds_to(GstClockTime time);

 private:
  GstClockTime before_ = GST_CLOCK_TIME_NONE;
};

// The time between the frames of runs.
class RunClock {
 public:
  // Counts a frame. Returns whether it is unrelated to the previous one.
  bool is_new_at(GstClockTime time);
  void forget();  // the next frame is unrelated
  // Seconds between the frame of the previous run and that of the one that begins; below 0: they are unrelated.
  float seconds_of_run();

 private:
  FrameClock frames_;
  float seconds_ = 0;  // since the frame of the previous run
  bool is_new_ = true;
};

}  // namespace sightglass

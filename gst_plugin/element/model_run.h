// A run of an element's models: the sessions of its stages, at once or in parts, and how long they take on the GPU.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gl/frame_format.h"
#include "gl/gpu_timer.h"
#include "sightglass/session.h"
#include "sightglass/status.h"

namespace sightglass {

// The session runs that make up one run of an element's models on a frame.
// One run of a session.
struct ModelStage {
  Session* session = nullptr;  // inputs are set
  BufferRange flag;            // decides on the GPU whether it runs (Session::run_if()); no buffer: always
  size_t model = 0;            // of the session, below kMostModels
};

// Call order: begin_stage(0), run its session, end_stage(0), begin_stage(1), and so on. Other frames may be drawn in
// between. All calls need the context current and leave GL state as sessions do.
class ModelStages {
 public:
  virtual ~ModelStages() = default;
  // Number of stages, constant from begin_stage(0) to the last end_stage().
  virtual size_t stages() const { return 1; }
  // Issues all work before the session run. All stages get the same frame.
  virtual Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) = 0;
  // Issues all work after it. The last stage writes the result; until then, the previous result is unchanged.
  virtual Status end_stage(size_t stage) = 0;
};

// Tracks how long models take on the GPU, and how much of a run fits into a frame. Makes no GL calls.
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

// A run of an element's models: at once, or in parts with frames drawn in between.
// All calls except is_running() and give_up() need the context current. After give_up() or a failure, call run() first:
// it ends what sessions have begun.
class ModelRun {
 public:
  // Runs all stages at once.
  Status run(ModelStages& stages, const UprightFrame& frame);
  // Begins a run in parts with the operators that sample `frame`. Only this call samples the frame, unless there are
  // several stages, which sample it until the run is complete. Returns whether the run is complete.
  Result<bool> begin(ModelStages& stages, const UprightFrame& frame);
  // Issues as much of the run as takes about `budget_ns`, but at least one operator (0 = all of it). Returns whether
  // the run is complete.
  Result<bool> advance(ModelStages& stages, const ModelPaces& paces, uint64_t budget_ns);
  bool is_running() const { return running_; }
  void give_up() {
    running_ = false;
    shares_ = {};
  }
  // How much of each model run() and advance() issued since the last call.
  GpuTimer::Shares take_shares() { return std::exchange(shares_, {}); }
  // Fails if a run of so many stages took longer than their models may.
  Status check_time(uint64_t model_ns, size_t stages) const;
  // Whether the GPU decides if a model runs.
  bool may_skip() const { return may_skip_; }

 private:
  Status begin_stage(ModelStages& stages);
  Status end_stage(ModelStages& stages);
  Status issue(double share);

  bool running_ = false, may_skip_ = false;
  UprightFrame frame_;
  size_t number_ = 0;    // of the current stage
  ModelStage stage_;     // set when the stage begins
  double progress_ = 0;  // of the stage; 0: not begun
  GpuTimer::Shares shares_{};
};

}  // namespace sightglass

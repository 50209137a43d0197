// A run of an element's models: whole, or in parts between which frames are drawn.
#pragma once

#include <utility>

#include "base/model_pace.h"
#include "base/model_stages.h"

namespace sightglass {

// All calls need the context current, but for is_running() and give_up(). After give_up() or a failure, run() comes
// first: it ends what sessions have begun.
class ModelRun {
 public:
  // All stages at once.
  Status run(ModelStages& stages, const UprightFrame& frame);
  // Begins a run in parts with the operators that sample `frame`. If there are several stages, the frame is sampled
  // until the run is complete, otherwise only by this call. Returns whether the run is complete.
  Result<bool> begin(ModelStages& stages, const UprightFrame& frame);
  // Issues as much of the run as takes about `budget_ns`, at least one operator; 0: all of it. Returns whether the run
  // is complete.
  Result<bool> advance(ModelStages& stages, const ModelPaces& paces, uint64_t budget_ns);
  bool is_running() const { return running_; }
  void give_up() {
    running_ = false;
    shares_ = {};
  }
  // How much of each model run() and advance() have issued since the last call.
  GpuTimer::Shares take_shares() { return std::exchange(shares_, {}); }
  // The GPU has been asked whether a model is to run.
  bool may_skip() const { return may_skip_; }

 private:
  Status begin_stage(ModelStages& stages);
  Status end_stage(ModelStages& stages);
  Status issue(double share);

  bool running_ = false, may_skip_ = false;
  UprightFrame frame_;
  size_t number_ = 0;    // of the stage
  ModelStage stage_;     // once it has begun
  double progress_ = 0;  // of the stage; 0: it has not begun
  GpuTimer::Shares shares_{};
};

}  // namespace sightglass

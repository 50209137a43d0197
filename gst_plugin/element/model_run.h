// A run of an element's models: at once, or in parts with frames drawn in between.
#pragma once

#include <cstdint>
#include <utility>

#include "element/model_pace.h"
#include "element/model_stages.h"

namespace sightglass {

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

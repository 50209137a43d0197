// Decides which frames the model runs on: every Nth one, counted from its last run.
#pragma once

#include <cstdint>

namespace sightglass {

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

}  // namespace sightglass

// Figures of an element that runs a model: counters, times of the GPU and of frames, and the latency that follows.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/latency_meter.h"
#include "base/percentiles.h"
#include "gl/gpu_timer.h"

namespace sightglass {

struct ModelStats {
  uint64_t frames = 0, inferences = 0, dropped = 0;
  uint64_t skipped = 0;                         // of the inferences, those that the GPU left out, as far as is known
  uint64_t failures = 0;                        // frames that were shown without what the model should have given
  double model_ns = 0, gpu_ns = 0, cpu_ns = 0;  // moving averages; 0: unknown
  uint64_t gpu_p50_ns = 0, gpu_p95_ns = 0;      // of recent frames; 0: unknown
  uint64_t latency_ns = 0;                      // what is reported
  uint64_t start_ns = 0;
};

struct GpuTime {
  double model_ns = 0;    // of one run of the model, averaged; 0: unknown
  uint64_t frame_ns = 0;  // of all that was done for one frame
  uint64_t late_ns = 0;   // what of that the frame waited for
};

// The work that was issued for one frame.
struct FrameWork {
  uint64_t inferences = 0;
  uint64_t skipped = 0;         // since the model's start, as far as is known
  std::optional<GpuTime> time;  // of the latest frame whose time has become known
  std::string failure;          // why the frame is shown without a result; empty: it is not
};

// Any thread: reading figures never waits for a frame.
class ModelFigures {
 public:
  void restart();
  void note_start(uint64_t ns);
  // Another model has taken over, whose start took `ns`.
  void note_change(uint64_t ns);
  void note_work(const FrameWork& work);
  // A frame has been issued, which took the streaming thread `cpu_ns` until `now_ns`.
  void note_frame(uint64_t cpu_ns, uint64_t now_ns);
  void note_dropped();
  // For how long frames are held, besides what is measured.
  void note_held_time(uint64_t ns);
  // True once after the latency has changed.
  bool take_latency_change();
  // What went wrong, once where failures begin; empty otherwise.
  std::string take_failure();
  ModelStats stats() const;
  // Somebody looks at the figures: what the GPU left out is to be asked for. The latter is true once.
  void wish_for_skipped();
  bool takes_wish_for_skipped();

 private:
  mutable std::mutex mutex_;
  ModelStats stats_;
  uint64_t skipped_before_ = 0;  // of models before this one
  Percentiles gpu_times_;
  double late_ns_ = 0;  // moving average of what frames wait for
  LatencyMeter latency_;
  uint64_t held_ns_ = 0;  // that frames wait for results, after what they take
  bool latency_changed_ = false;
  bool wants_skipped_ = false;
  bool failing_ = false;
  std::string failure_;  // that nobody has been told of
};

}  // namespace sightglass

// Statistics of an element that runs a model: counters, GPU and frame times, and the resulting latency.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "element/latency_meter.h"
#include "element/percentiles.h"
#include "gl/gpu_timer.h"

namespace sightglass {

struct ModelStats {
  uint64_t frames = 0, inferences = 0, dropped = 0;
  uint64_t skipped = 0;                         // inferences that the GPU skipped, as far as known
  uint64_t failures = 0;                        // frames shown without the result they should have had
  uint64_t early = 0;                           // frames shown before the model was ready
  double model_ns = 0, gpu_ns = 0, cpu_ns = 0;  // moving averages; 0: unknown
  uint64_t gpu_p50_ns = 0, gpu_p95_ns = 0;      // of recent frames; 0: unknown
  uint64_t latency_ns = 0;                      // as reported to the pipeline
  uint64_t start_ns = 0;                        // 0: the model is not ready
};

struct GpuTime {
  double model_ns = 0;    // average of one model run; 0: unknown
  uint64_t frame_ns = 0;  // of all work for one frame
  uint64_t late_ns = 0;   // the part of frame_ns that the frame waited for
};

// The work issued for one frame.
struct FrameWork {
  uint64_t inferences = 0;
  uint64_t skipped = 0;         // since the model's start, as far as known
  std::optional<GpuTime> time;  // of the latest frame whose time became known
  bool early = false;           // the model was not ready
  std::string failure;          // why the frame is shown without a result; empty if it has one
};

// Any thread: reading the statistics never waits for a frame.
class ElementStats {
 public:
  void restart();
  // The model is ready.
  void note_start(uint64_t ns);
  // Another model has taken over; its start took `ns`.
  void note_change(uint64_t ns);
  void note_work(const FrameWork& work);
  // A frame was issued at `now_ns`, after `cpu_ns` on the streaming thread.
  void note_frame(uint64_t cpu_ns, uint64_t now_ns);
  void note_dropped();
  // How long frames are held in addition to the measured times.
  void note_held_time(uint64_t ns);
  // Returns true once after the latency has changed.
  bool take_latency_change();
  // Returns the reason once when failures begin; empty otherwise.
  std::string take_failure();
  ModelStats snapshot() const;
  // The application reads the statistics, so the number of skipped runs is requested from the GPU. The latter function
  // returns true once per request.
  void request_skipped();
  bool take_request_for_skipped();

 private:
  mutable std::mutex mutex_;
  ModelStats stats_;
  uint64_t skipped_before_ = 0;  // by previous models
  Percentiles gpu_times_;
  double late_ns_ = 0;  // moving average of the GPU time that frames wait for
  LatencyMeter latency_;
  uint64_t held_ns_ = 0;  // how long processed frames wait for results
  bool latency_changed_ = false;
  bool wants_skipped_ = false;
  bool failing_ = false;
  std::string failure_;  // not taken yet
};

}  // namespace sightglass

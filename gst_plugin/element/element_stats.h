// Statistics of an element that runs a model: counters, times, rates, and the latency that it reports.
#pragma once

#include <gst/gst.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "gl/gpu_timer.h"

namespace sightglass {

// Percentiles of the latest measurements and rates of events, for statistics that people read. No GL, no threads.
// Percentiles of the last kSamples values.
class Percentiles {
 public:
  static constexpr size_t kSamples = 256;

  void add(uint64_t value) {
    values_[next_] = value;
    next_ = (next_ + 1) % kSamples;
    count_ = std::min(count_ + 1, kSamples);
  }
  void forget() { next_ = count_ = 0; }
  size_t count() const { return count_; }
  // The smallest value that is not exceeded by `percent`, in (0,100], of all values (nearest rank); 0 without values.
  uint64_t at(double percent) const {
    if (count_ == 0) return 0;
    std::array<uint64_t, kSamples> sorted = values_;  // until the ring is full, the first count_ entries are valid
    const auto rank = static_cast<size_t>(std::ceil(percent / 100 * static_cast<double>(count_)));
    const size_t index = std::clamp<size_t>(rank, 1, count_) - 1;
    const auto begin = sorted.begin();
    std::nth_element(begin, begin + static_cast<ptrdiff_t>(index), begin + static_cast<ptrdiff_t>(count_));
    return sorted[index];
  }

 private:
  std::array<uint64_t, kSamples> values_{};
  size_t next_ = 0, count_ = 0;
};

// Rate of an event over the last two seconds.
class RateMeter {
 public:
  // Adds an event at a monotonic time in nanoseconds.
  void add(uint64_t now_ns) {
    times_[next_] = now_ns;
    next_ = (next_ + 1) % kEvents;
    count_ = std::min(count_ + 1, kEvents);
  }
  void forget() { next_ = count_ = 0; }
  // Events per second, from the oldest to the newest event; 0 with fewer than two.
  double per_second(uint64_t now_ns) const {
    constexpr uint64_t kPeriod = 2'000'000'000;
    size_t events = 0;
    uint64_t newest = 0, oldest = 0;
    for (size_t i = 1; i <= count_; ++i) {
      const uint64_t time = times_[(next_ + kEvents - i) % kEvents];
      if (time + kPeriod < now_ns) break;
      if (events++ == 0) newest = time;
      oldest = time;
    }
    if (events < 2 || newest <= oldest) return 0;
    return static_cast<double>(events - 1) * 1e9 / static_cast<double>(newest - oldest);
  }

 private:
  static constexpr size_t kEvents = 512;  // more than two seconds at 240 per second
  std::array<uint64_t, kEvents> times_{};
  size_t next_ = 0, count_ = 0;
};

// Derives the latency that the element reports from measured frame times.
class LatencyMeter {
 public:
  // Adds the time of one frame; `now_ns` is a monotonic time. Returns true when latency_ns() has changed enough for the
  // pipeline to query it again, at most once per second.
  bool add(uint64_t frame_ns, uint64_t now_ns);
  // The slowest of recent frames, rounded up to the next 5 ms; 0 before the first.
  uint64_t latency_ns() const { return latency_ns_; }

 private:
  static constexpr uint64_t kStep = 5'000'000;
  static constexpr uint64_t kPeriod = 1'000'000'000;
  uint64_t slowest_ns_ = 0;  // of the current period
  uint64_t period_start_ns_ = 0;
  uint64_t latency_ns_ = 0;
};

// Statistics of an element that runs a model: counters, GPU and frame times, and the resulting latency.
struct ModelStats {
  uint64_t frames = 0, inferences = 0, dropped = 0;
  uint64_t skipped = 0;                         // inferences that the GPU skipped, as far as known
  uint64_t failures = 0;                        // frames shown without the result they should have had
  uint64_t early = 0;                           // frames shown before the model was ready
  double model_ns = 0, gpu_ns = 0, cpu_ns = 0;  // moving averages; 0: unknown
  uint64_t gpu_p50_ns = 0, gpu_p95_ns = 0;      // of recent frames; 0: unknown
  uint64_t latency_ns = 0;                      // as reported to the pipeline
  uint64_t start_ns = 0;                        // 0: the model is not ready

  // As the property `stats` shows them. The caller owns the result.
  GstStructure* to_structure(const std::string& name, const std::string& model) const;
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

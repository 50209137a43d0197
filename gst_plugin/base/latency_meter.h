// The latency that the element reports, from what its frames were measured to take.
#pragma once

#include <cstdint>

namespace sightglass {

class LatencyMeter {
 public:
  // One frame took so long; `now_ns` is a monotonic time. True when latency_ns() has changed enough that the pipeline
  // should ask again: at most once a second.
  bool add(uint64_t frame_ns, uint64_t now_ns);
  // The slowest of recent frames, rounded up to the next 5 ms; 0 before the first.
  uint64_t latency_ns() const { return latency_ns_; }

 private:
  static constexpr uint64_t kStep = 5'000'000;
  static constexpr uint64_t kPeriod = 1'000'000'000;
  uint64_t slowest_ns_ = 0;  // of the present period
  uint64_t period_start_ns_ = 0;
  uint64_t latency_ns_ = 0;
};

}  // namespace sightglass

// Derives the latency that the element reports from measured frame times.
#pragma once

#include <cstdint>

namespace sightglass {

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

}  // namespace sightglass

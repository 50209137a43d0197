// Percentiles of the latest measurements and rates of events, for statistics that people read. No GL, no threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sightglass {

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

}  // namespace sightglass

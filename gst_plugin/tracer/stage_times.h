// Times of any number of frames in a fixed amount of memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sightglass {

class StageTimes {
 public:
  void add(int64_t ns) {
    ++count_;
    if (values_.size() < kMost) {
      values_.push_back(ns);
      return;
    }
    // Reservoir sampling: every frame so far is kept with equal probability.
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    const uint64_t place = (random_ >> 16) % count_;
    if (place < kMost) values_[place] = ns;
  }

  uint64_t count() const { return count_; }

  // The time that `share` of the kept frames do not exceed; nothing without frames.
  std::optional<double> percentile_ms(double share) const {
    if (values_.empty()) return std::nullopt;
    std::vector<int64_t> sorted = values_;
    const auto place = static_cast<size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(place), sorted.end());
    return 1e-6 * static_cast<double>(sorted[place]);
  }

 private:
  static constexpr size_t kMost = size_t{1} << 15;
  std::vector<int64_t> values_;
  uint64_t count_ = 0, random_ = 1;
};

}  // namespace sightglass

#include "element/model_pace.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace sightglass {

ModelTimes ModelPaces::times() const {
  ModelTimes times{};
  for (size_t i = 0; i < times.size(); ++i) times[i] = paces_[i].run_ns();
  return times;
}

void ModelPaces::add(uint64_t ns, const GpuTimer::Shares& shares, size_t runs, bool may_skip) {
  const double share = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (share <= 0) return;
  const auto taken = static_cast<double>(ns);
  const auto used = std::ranges::count_if(shares, [](double one) { return one > 0; });
  double expected = 0;
  for (size_t i = 0; i < shares.size(); ++i) expected += shares[i] * paces_[i].run_ns();
  // A run that the GPU skips takes almost no time and does not count.
  constexpr double kSkipped = 0.1;
  if (may_skip && taken < kSkipped * expected) return;
  run_.add(taken, share / static_cast<double>(runs));
  // If several models share the time, it is unknown which of them was skipped.
  if (used > 1 && taken < expected) return;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    const double part = expected > 0 ? shares[i] * paces_[i].run_ns() / expected : shares[i] / share;
    paces_[i].add(taken * part, shares[i]);
  }
}

Status check_run_time(uint64_t model_ns, const ResourceLimits& limits, size_t stages) {
  const auto limit_ns = static_cast<uint64_t>(limits.run_time.count()) * stages;
  if (model_ns <= limit_ns) return {};
  const auto seconds = [](uint64_t ns) { return std::to_string(static_cast<double>(ns) / 1e9) + " s"; };
  return timed_out("the model ran for " + seconds(model_ns) + ", longer than run-limit (" + seconds(limit_ns) +
                   "); raise run-limit, or use a smaller model");
}

float FrameClock::seconds_to(GstClockTime time) {
  constexpr float kUsual = 1.0F / 30;
  if (!GST_CLOCK_TIME_IS_VALID(time)) return kUsual;
  const GstClockTime before = std::exchange(before_, time);
  if (!GST_CLOCK_TIME_IS_VALID(before) || time <= before) return -1;
  // Rounded to 0.1 ms, so that frames at a constant rate have equal distances, which avoids uploads.
  constexpr double kTick = 1e-4;
  return static_cast<float>(std::max(std::round(static_cast<double>(time - before) / 1e9 / kTick), 1.0) * kTick);
}

bool RunClock::is_new_at(GstClockTime time) {
  const float seconds = frames_.seconds_to(time);
  seconds_ += std::max(seconds, 0.0F);
  return seconds < 0;
}

void RunClock::forget() {
  is_new_ = true;
  seconds_ = 0;
}

float RunClock::seconds_of_run() {
  const float since = std::exchange(seconds_, 0.0F);
  return std::exchange(is_new_, false) ? -1 : since;
}

}  // namespace sightglass

#include "element/probabilities.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

// Of bounds, relative to the range: rounded factors such as 0.1667, and the steps of 8-bit values.
constexpr double kTolerance = 1.0 / 64;

bool is_near(double number, double bound, double span) { return std::abs(number - bound) <= kTolerance * span; }

}  // namespace

bool is_probability(const ValueRange& range) { return range.low >= -kTolerance && range.high <= 1 + kTolerance; }

bool holds_probabilities(const Model& model, size_t output) { return is_probability(model.output_range(output)); }

std::optional<ToProbability> from_samples(const ValueRange& range) {
  constexpr double kHighest = 255;
  if (is_probability(range)) return ToProbability{};
  if (is_near(range.low, 0, kHighest) && is_near(range.high, kHighest, kHighest)) {
    return ToProbability{.scale = 1 / static_cast<float>(kHighest)};
  }
  if (is_near(range.low, -1, 2) && is_near(range.high, 1, 2)) return ToProbability{.scale = 0.5F, .offset = 0.5F};
  return std::nullopt;
}

ToProbability to_probability(const ValueRange& range, int32_t channels) {
  const std::optional<ToProbability> samples = from_samples(range);
  if (samples && (channels == 1 || samples->offset == 0)) return *samples;
  if (channels > 1) return {.activation = OutputActivation::kSoftmax};
  if (range.low < -kTolerance * std::min(range.high, 1.0)) return {.activation = OutputActivation::kSigmoid};
  return std::isfinite(range.high) ? ToProbability{.scale = static_cast<float>(1 / range.high)} : ToProbability{};
}

}  // namespace sightglass

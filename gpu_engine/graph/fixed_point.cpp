#include "graph/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightglass {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int32_t>::min(), kHighest = std::numeric_limits<int32_t>::max();

int32_t saturate(int64_t x) { return static_cast<int32_t>(std::clamp(x, kLowest, kHighest)); }

}  // namespace

FixedPoint to_fixed_point(double real) {
  if (!(real > 0)) return {};
  int shift = 0;
  const double fraction = std::frexp(real, &shift);
  int64_t multiplier = std::llround(fraction * static_cast<double>(int64_t{1} << 31));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  return {static_cast<int32_t>(multiplier), std::min(shift, 30)};
}

FixedPoint narrowed(FixedPoint factor) {
  constexpr int64_t kMost = (int64_t{1} << 15) - 1;
  const int64_t narrow = std::min((int64_t{factor.multiplier} + (1 << 15)) >> 16, kMost);
  factor.multiplier = static_cast<int32_t>(narrow << 16);
  return factor;
}

int64_t divide_by_power_of_two(int64_t x, int exponent, Ties ties) {
  const int64_t half = exponent == 0 ? 0 : int64_t{1} << (exponent - 1);
  if (x >= 0 || ties == Ties::kUp) return (x + half) >> exponent;
  return -((-x + half) >> exponent);
}

int32_t multiply(int32_t x, const FixedPoint& factor, Rounding rounding) {
  const int left = std::max(factor.shift, 0), right = std::max(-factor.shift, 0);
  const int64_t product = int64_t{saturate(int64_t{x} << left)} * factor.multiplier;
  if (rounding == Rounding::kOnce) return saturate(divide_by_power_of_two(product, 31 + right, Ties::kUp));
  return saturate(divide_by_power_of_two(divide_by_power_of_two(product, 31, Ties::kUp), right, Ties::kAwayFromZero));
}

int32_t multiply_q15(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

int32_t saturated(double x) {
  if (std::isnan(x)) return 0;
  return static_cast<int32_t>(std::clamp(x, static_cast<double>(kLowest), static_cast<double>(kHighest)));
}

}  // namespace sightglass

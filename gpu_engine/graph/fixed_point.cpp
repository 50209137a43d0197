#include "graph/fixed_point.h"

#include <algorithm>
#include <array>
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

namespace {

// By default, values are in steps of 2^-15. The largest is just below 1.
constexpr int32_t kOne = 32767;

// e^(-2^(i - 2)).
constexpr std::array<int32_t, 7> kPowers{25520, 19875, 12055, 4435, 600, 11, 0};

// e^x for x in [-1/4, 0): Taylor series around -1/8.
int32_t exp_near_zero(int32_t x) {
  constexpr int32_t kEighth = 1 << 12, kExpOfEighth = 28918, kThird = 10923;
  const int32_t t = x + kEighth;
  const int32_t t2 = multiply_q15(t, t), t3 = multiply_q15(t2, t), t4 = multiply_q15(t2, t2);
  const int32_t rest = (multiply_q15((t4 + 2) / 4 + t3, kThird) + t2 + 1) / 2;  // t^2 / 2 + t^3 / 6 + t^4 / 24
  return std::min(kExpOfEighth + multiply_q15(kExpOfEighth, t + rest), kOne);
}

// e^x for x up to 0 in steps of 2^(bits - 15): the exponential of the part beyond whole quarters, times that of each
// power of two among the quarters.
int32_t exp_of_negative(int32_t x, int bits) {
  if (x == 0) return kOne;
  if (bits > 5 && x < -(1 << (20 - bits))) return 0;  // below -32
  const int32_t quarter = 1 << (13 - bits);
  const int32_t rest = (x & (quarter - 1)) - quarter;
  int32_t result = exp_near_zero(rest * (1 << bits));
  const int powers = std::min<int>(kPowers.size(), bits + 2);
  for (int i = 0; i < powers; ++i) {
    if (((rest - x) & (quarter << i)) != 0) result = multiply_q15(result, kPowers[static_cast<size_t>(i)]);
  }
  return result;
}

// 2 / (1 + x) for x between 0 and 1, in steps of 2^-13: three steps of Newton's method.
int32_t inverse_of_half(int32_t x) {
  constexpr int32_t kUnit = 1 << 13, kBegin = 23130, kSlope = -15420;  // 48/17, -32/17
  const int32_t half = (x + kOne + 1) / 2;
  int32_t inverse = kBegin + multiply_q15(half, kSlope);
  for (int i = 0; i < 3; ++i) inverse += multiply_q15(inverse, kUnit - multiply_q15(half, inverse)) * 4;
  return inverse;
}

}  // namespace

int32_t fixed_logistic(int32_t x) {
  if (x == 0) return 1 << 14;
  const int32_t positive = std::min(inverse_of_half(exp_of_negative(x > 0 ? -x : x, 3)) * 2, kOne);
  return x > 0 ? positive : kOne - positive;
}

int32_t fixed_tanh(int32_t x, int bits) {
  if (x == 0) return 0;
  const int32_t exp_of_twice = exp_of_negative(x > 0 ? -x : x, bits + 1);
  const int32_t magnitude = std::min((inverse_of_half(exp_of_twice) - (1 << 13)) * 4, kOne);
  return x > 0 ? magnitude : -magnitude;
}

}  // namespace sightglass

#include "graph/fixed_point.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

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

std::optional<int> exponent_of(float power_of_two) {
  const float log = std::log2(power_of_two);
  const float exponent = std::round(log);
  if (!(std::abs(log - exponent) < 1e-3f)) return std::nullopt;
  return static_cast<int>(exponent);
}

int32_t multiply(int32_t x, const FixedPoint& factor, Rounding rounding) {
  const int left = std::max(factor.shift, 0), right = std::max(-factor.shift, 0);
  const int64_t product = int64_t{saturate(int64_t{x} << left)} * factor.multiplier;
  if (rounding == Rounding::kOnce) return saturate(divide_by_power_of_two(product, 31 + right, Ties::kUp));
  return saturate(divide_by_power_of_two(divide_by_power_of_two(product, 31, Ties::kUp), right, Ties::kAwayFromZero));
}

namespace {

// The first of two roundings moves ties towards zero: up to there, it reaches the tie of the second one.
bool moves_ties(const FixedPoint& factor, Rounding rounding) {
  return rounding == Rounding::kTwice && factor.shift < 0;
}

// Whether there may be an integer at or between two thresholds that are almost the same.
bool integer_between(double a, double b) {
  constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to integers
  constexpr double kDoubt = 1e-6;
  const double nearest = (a + kRounder) - kRounder;
  return nearest >= std::min(a, b) - kDoubt && nearest <= std::max(a, b) + kDoubt;
}

}  // namespace

std::optional<NearestFactor> nearest_factor(const FixedPoint& factor, Rounding rounding, int32_t lowest,
                                            int32_t highest, int32_t most) {
  constexpr int kMostShift = 7;  // shifted numbers do not saturate before their results do
  if (lowest > 0 || highest < 0 || factor.shift > kMostShift) return std::nullopt;
  const double real = std::ldexp(factor.multiplier, factor.shift - 31);
  const double moved = moves_ties(factor, rounding) ? std::ldexp(1.0, factor.shift - 1) : 0;
  if (real * most + moved < 0.5) return NearestFactor();
  if (factor.multiplier < 1 << 30) return std::nullopt;  // a quotient, whose ties are moved further

  // The nearest float, unless that is the next power of two.
  constexpr int kFloatBits = 24, kRest = 31 - kFloatBits;
  const int64_t exact = factor.multiplier,
                upper = std::min((exact + (1 << (kRest - 1))) >> kRest, (int64_t{1} << kFloatBits) - 1);
  const auto scale = static_cast<float>(std::ldexp(static_cast<double>(upper), factor.shift - kFloatBits));

  // The product and the sum have an error of up to one unit of their last bit. Beyond the range, results are clamped.
  const double largest = std::min(std::max(-1.0 * lowest, 1.0 * highest) + 0.5, real * most + 1);
  const double unit = std::ldexp(1.0, std::ilogb(largest) - (kFloatBits - 1));
  const double error = 2 * unit + largest * std::abs(scale / real - 1) + std::ldexp(1.0, -22);

  // Steps of 2^-bits. The low 32 bits reach further than e and the error together.
  constexpr int kLeastBits = 33;
  const int most_bits = 30 - std::ilogb(2.25 * error), exact_bits = 31 - factor.shift;
  if (most_bits < kLeastBits) return std::nullopt;
  const int shift = std::clamp(exact_bits, kLeastBits, most_bits) - exact_bits;

  // Another multiplier, if that of the factor has too many bits, but no sum then has another result.
  const auto is_exact = [&](int64_t multiplier) {
    for (int32_t q = lowest + 1; q <= highest; ++q) {
      const double tie = q - 0.5 + (q > 0 ? -moved : moved), sum = tie / real;
      if (std::abs(sum) <= most + 1 &&
          integer_between(sum, sum * static_cast<double>(exact) / static_cast<double>(multiplier)))
        return false;
    }
    return true;
  };
  int64_t multiplier = exact;
  if (shift < 0) {
    constexpr int kMostTries = 16;
    const int64_t step = int64_t{1} << -shift, nearest = (exact + step / 2) / step * step;
    multiplier = nearest;
    for (int i = 1; !is_exact(multiplier); ++i) {
      if (i > kMostTries) return std::nullopt;
      multiplier = nearest + (i % 2 == 0 ? i / 2 : -(i + 1) / 2) * step;
    }
  }
  constexpr int kField = 1 << 10;
  const int64_t low = multiplier - upper * (1 << kRest) + kField / 2;
  if (low < 0 || low >= kField) return std::nullopt;
  return NearestFactor{scale, shift * kField + static_cast<int32_t>(low)};
}

int32_t multiply_wide(int64_t x, const FixedPoint& narrow) {
  return static_cast<int32_t>(divide_by_power_of_two(x * (narrow.multiplier >> 16), 15 - narrow.shift, Ties::kUp));
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

// Reciprocals and inverse roots in fixed point, as computed by the kernels of TensorFlow Lite.

FixedPoint fixed_inverse_root(int32_t x);

namespace {

// a * b for values in steps of 2^-31.
int32_t multiply_q31(int32_t a, int32_t b) { return multiply(a, {b, 0}); }

// 2 / (1 + x) of x from 0 to 1 in steps of 2^-31, as a factor of at most 1: Newton iterations for (1 + x) / 2, in steps
// of 2^-29.
int32_t reciprocal_of_one_and(int32_t x) {
  constexpr int32_t kOne = 1 << 29, k48Of17 = 1515870810, kMinus32Of17 = -1010580540;
  const int32_t half_sum = (x >> 1) + (1 << 30);
  int64_t result = int64_t{k48Of17} + multiply_q31(half_sum, kMinus32Of17);
  for (int i = 0; i < 3; ++i) {
    const auto root = static_cast<int32_t>(result);
    result += int64_t{multiply_q31(root, kOne - multiply_q31(half_sum, root))} * 4;
  }
  return static_cast<int32_t>(std::min<int64_t>(result * 2, std::numeric_limits<int32_t>::max()));
}

}  // namespace

int32_t fixed_quotient(int32_t a, int32_t b, const FixedPoint& factor) {
  if (b == 0) return a > 0 ? std::numeric_limits<int32_t>::max() : a < 0 ? -std::numeric_limits<int32_t>::max() : 0;
  if (b < 0) {
    a = -a;
    b = -b;
  }
  // As a number from 1 to 2 times a power of two, and with as many leading bits as fit.
  const int power = std::bit_width(static_cast<uint32_t>(b)) - 1;
  const int headroom = std::countl_zero(static_cast<uint32_t>(a < 0 ? ~a : a)) - 1;
  const uint32_t fraction = static_cast<uint32_t>(b) << (31 - power);
  const int32_t reciprocal = reciprocal_of_one_and(static_cast<int32_t>(fraction - (1u << 31)));
  const int32_t quotient = multiply_q31(static_cast<int32_t>(static_cast<uint32_t>(a) << headroom), reciprocal);
  const int32_t product = multiply_q31(quotient, factor.multiplier);
  const int right = power + headroom - factor.shift;
  constexpr int kBits = 31;
  if ((right & ~kBits) == 0) return static_cast<int32_t>(divide_by_power_of_two(product, right, Ties::kAwayFromZero));
  return (product >> (right & kBits)) + (product >= 0 ? 1 : 0);
}

// Newton iterations for a number from 1/4 to 1, in steps of 2^-28.
FixedPoint fixed_inverse_root(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int right = 11;
  for (; x >= 1 << 29; x /= 4) ++right;
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  x <<= 2 * pairs;
  right -= pairs;
  constexpr int32_t kOne = 1 << 28, kOneAndAHalf = 3 << 27, kRootOfHalf = 1518500250;
  const int32_t half = ((x >> 1) + 1) >> 1;
  int32_t root = kOne;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = multiply_q31(multiply_q31(root, root), root) << 6;
    root = (multiply_q31(kOneAndAHalf, root) - multiply_q31(half, cube)) << 3;
  }
  const int32_t multiplier = multiply_q31(root, kRootOfHalf);
  return right < 0 ? FixedPoint{multiplier << -right, 0} : FixedPoint{multiplier, -right};
}

}  // namespace sightglass

// Integer arithmetic with which TensorFlow Lite kernels compute: multiplication by a scale, quotients, and functions of
// 16-bit fixed-point numbers.
#pragma once

#include <cstdint>
#include <optional>

namespace sightglass {

// Integer arithmetic with which 8-bit TensorFlow Lite kernels scale sums. Formulas as in gemmlowp fixed point and
// MultiplyByQuantizedMultiplier of TensorFlow Lite.
// A positive real number as multiplier * 2^(shift - 31), with the multiplier in [2^30, 2^31). Zero below 2^-32.
struct FixedPoint {
  int32_t multiplier = 0, shift = 0;
};
FixedPoint to_fixed_point(double real);

// The same with a multiplier of 15 bits, for sums of 16-bit data.
FixedPoint narrowed(FixedPoint factor);

// Rounding of halves to the nearest integer.
enum class Ties : uint8_t { kAwayFromZero, kUp };

// x / 2^exponent, rounded.
int64_t divide_by_power_of_two(int64_t x, int exponent, Ties ties);

// The exponent of a positive power of two, within a thousandth of an exponent. None for others.
std::optional<int> exponent_of(float power_of_two);

// Rounding of a product with a factor whose power of two is negative.
enum class Rounding : uint8_t {
  kTwice,  // without the power of two, halves up; then with it, halves away from zero
  kOnce,   // halves up
};

// x times `factor`, rounded.
int32_t multiply(int32_t x, const FixedPoint& factor, Rounding rounding = Rounding::kTwice);

// A factor in a form that costs few instructions and little memory. The float product with `scale` is exact enough,
// unless it is near a tie. Ties are multiples of 2^32 steps, so the low 32 bits of the product of integers tell on
// which side of a tie such a number is.
//
// With 2^p <= scale < 2^(p + 1), steps are of 2^(p - 30 - s), s = bits >> 10. The factor is (scale / 2^(p - 23) * 128 +
// (bits & 1023) - 512) * 2^s steps; a negative s leaves no rest. The float product may be off by e = 15/16 * 2^(p - s).
// If rounded twice, the first rounding moves ties by m = 2^p towards zero if scale < 1/2; otherwise, m is 0. With m in
// steps added to the low bits for x >= 0, and subtracted for x < 0, the result is
//   floor(x * scale + 1/2 + (x < 0 ? -m : m) + (low bits < 0 ? -e : e))
struct NearestFactor {
  float scale = 0;
  int32_t bits = 0;
};

inline constexpr int32_t kMostFloatInteger = 1 << 24;
// The form with which every integer x of a magnitude of at most `most`, which has up to 24 bits, has the result of
// multiply(), if clamped to [lowest, highest], however a device rounds floats. None if there is none, if the range does
// not contain 0, or if the multiplier of the factor has less than 31 bits.
std::optional<NearestFactor> nearest_factor(const FixedPoint& factor, Rounding rounding, int32_t lowest,
                                            int32_t highest, int32_t most = kMostFloatInteger);

// x times a factor of narrowed(), rounded once. The result wraps around. Takes 48 bits, and shifts below 15.
int32_t multiply_wide(int64_t x, const FixedPoint& narrow);

// a * b for values in steps of 2^-15. Rounds halves up.
int32_t multiply_q15(int32_t a, int32_t b);

// The integer part, saturated to 32 bits; 0 for NaN.
int32_t saturated(double x);

// a / b times `factor`, for integers of at most 17 bits. Rounded several times. Shifts beyond 31 bits wrap around, so
// that results far below one step are arbitrary. Division by 0 saturates.
int32_t fixed_quotient(int32_t a, int32_t b, const FixedPoint& factor);

// 1 / sqrt(x) for an integer that is not negative; about 1 for 0.
FixedPoint fixed_inverse_root(int32_t x);

// Functions of 16-bit fixed-point numbers, including the errors of their approximations: recurrent operators feed
// results back, so nearly equal functions diverge within a few runs. Formulas as in gemmlowp fixed point.

// Maximum number of integer bits for fixed_tanh().
inline constexpr int kMaxTanhBits = 6;

// 1 / (1 + e^-x) in steps of 2^-15, for x in steps of 2^-12.
int32_t fixed_logistic(int32_t x);

// tanh(x) in steps of 2^-15, for x in steps of 2^(bits - 15).
int32_t fixed_tanh(int32_t x, int bits);

}  // namespace sightglass

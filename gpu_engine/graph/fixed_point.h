// Integer arithmetic with which TensorFlow Lite kernels compute: multiplication by a scale, and functions of 16-bit
// fixed-point numbers.
#pragma once

#include <cstdint>

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

// Rounding of a product with a factor whose power of two is negative.
enum class Rounding : uint8_t {
  kTwice,  // without the power of two, halves up; then with it, halves away from zero
  kOnce,   // halves up
};

// x times `factor`, rounded.
int32_t multiply(int32_t x, const FixedPoint& factor, Rounding rounding = Rounding::kTwice);

// a * b for values in steps of 2^-15. Rounds halves up.
int32_t multiply_q15(int32_t a, int32_t b);

// The integer part, saturated to 32 bits; 0 for NaN.
int32_t saturated(double x);

// Functions of 16-bit fixed-point numbers, including the errors of their approximations: recurrent operators feed
// results back, so nearly equal functions diverge within a few runs. Formulas as in gemmlowp fixed point.

// Maximum number of integer bits for fixed_tanh().
inline constexpr int kMaxTanhBits = 6;

// 1 / (1 + e^-x) in steps of 2^-15, for x in steps of 2^-12.
int32_t fixed_logistic(int32_t x);

// tanh(x) in steps of 2^-15, for x in steps of 2^(bits - 15).
int32_t fixed_tanh(int32_t x, int bits);

}  // namespace sightglass

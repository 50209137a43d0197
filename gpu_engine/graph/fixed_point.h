// The integer arithmetic that TensorFlow Lite's 8-bit kernels scale their sums with. Formulas as in gemmlowp's fixed
// point and TensorFlow Lite's MultiplyByQuantizedMultiplier.
#pragma once

#include <cstdint>

namespace sightglass {

// A positive real number as multiplier * 2^(shift - 31), the multiplier in [2^30, 2^31). Zero below 2^-32.
struct FixedPoint {
  int32_t multiplier = 0, shift = 0;
};
FixedPoint to_fixed_point(double real);

// Where halves go when a number is rounded to the nearest integer.
enum class Ties : uint8_t { kAwayFromZero, kUp };

// x / 2^exponent, rounded.
int64_t divide_by_power_of_two(int64_t x, int exponent, Ties ties);

// x times `factor`, rounded twice: first without the power of two if that is negative (halves up), then with it.
int32_t multiply(int32_t x, const FixedPoint& factor, Ties ties = Ties::kAwayFromZero);

// The integer part, or the nearest that 32 bits can hold; 0 for what is no number.
int32_t saturated(double x);

}  // namespace sightglass

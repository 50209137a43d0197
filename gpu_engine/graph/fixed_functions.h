// Functions of 16-bit fixed-point numbers, with the errors of their approximations: recurrent operators feed results
// back, so that "nearly the same function" is another function after a few runs. Formulas as in gemmlowp's fixed point.
#pragma once

#include <cstdint>

namespace sightglass {

// The greatest number of integer bits that fixed_tanh() takes.
inline constexpr int kMaxTanhBits = 6;

// 1 / (1 + e^-x) in steps of 2^-15, of x in steps of 2^-12.
int32_t fixed_logistic(int32_t x);

// tanh(x) in steps of 2^-15, of x in steps of 2^(bits - 15).
int32_t fixed_tanh(int32_t x, int bits);

}  // namespace sightglass

// Functions of 16-bit fixed-point numbers, including the errors of their approximations: recurrent operators feed
// results back, so nearly equal functions diverge within a few runs. Formulas as in gemmlowp fixed point.
#pragma once

#include <cstdint>

namespace sightglass {

// Maximum number of integer bits for fixed_tanh().
inline constexpr int kMaxTanhBits = 6;

// 1 / (1 + e^-x) in steps of 2^-15, for x in steps of 2^-12.
int32_t fixed_logistic(int32_t x);

// tanh(x) in steps of 2^-15, for x in steps of 2^(bits - 15).
int32_t fixed_tanh(int32_t x, int bits);

}  // namespace sightglass

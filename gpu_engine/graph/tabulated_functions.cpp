#include "graph/tabulated_functions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "graph/fixed_functions.h"
#include "graph/fixed_point.h"

namespace sightglass {
namespace {

constexpr int32_t kLowest = -32768, kHighest = 32767;

int16_t narrowed_to_16_bits(float x) {
  return static_cast<int16_t>(std::clamp(saturated(double{x}), kLowest, kHighest));
}

// 2^16 / (1 + e^-x) for x in steps of 1/24. Between two of them, the function bends upward: like the points of
// TabulatedFunction, each is half of the error in the middle too high.
constexpr int32_t kLastOfSigmoid = 255;
using SigmoidTable = std::array<int32_t, kLastOfSigmoid + 1>;
SigmoidTable make_sigmoid_table() {
  const auto sigmoid = [](double steps) { return 65536 / (1 + std::exp(-steps / 24)); };
  SigmoidTable table;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto at = static_cast<double>(i);
    const double error = sigmoid(at + 0.5) - (sigmoid(at) + sigmoid(at + 1)) / 2;
    table[i] = static_cast<int32_t>(std::round(sigmoid(at) + error / 2));
  }
  table.back() = 65535;
  return table;
}

// The table at `x` in steps of 2^-bits of its own: the result has `bits` more than its entries, and is `most` beyond
// them.
int32_t interpolated_sigmoid(int32_t x, int bits, int32_t most) {
  static const SigmoidTable table = make_sigmoid_table();
  const int32_t at = x >> bits;
  if (at >= kLastOfSigmoid) return most << bits;
  const int32_t low = table[static_cast<size_t>(at)], high = table[static_cast<size_t>(at) + 1];
  return (low << bits) + (x & ((1 << bits) - 1)) * (high - low);
}

// The exponent of a power of two, within a thousandth of an exponent.
bool is_power_of_two(float x, int& exponent) {
  const float log = std::log2(x);
  exponent = static_cast<int>(std::round(log));
  return std::abs(log - static_cast<float>(exponent)) < 1e-3f;
}

}  // namespace

int16_t TabulatedFunction::point(float value, float middle, float next) {
  const float rounded = std::round(value);
  const float interpolated = std::round((next + rounded) / 2);
  const float error = interpolated - std::round(middle);
  return narrowed_to_16_bits(std::isfinite(error) ? rounded - std::round(error / 2) : rounded);
}

int16_t TabulatedFunction::last_point(float value) { return narrowed_to_16_bits(std::round(value)); }

int32_t TabulatedFunction::operator()(int32_t x) const {
  const auto interval = static_cast<size_t>((x - kLowest) >> 7);
  const int32_t low = points_[interval], slope = points_[interval + 1] - low;
  return low + ((slope * (x & 127) + 64) >> 7);
}

TabulatedSigmoid::TabulatedSigmoid(Kind kind, float scale) : kind_(kind) {
  int exponent = 0;
  const int most_shift = kind == Kind::kTanh ? 1 : 0;
  if (is_power_of_two(scale, exponent) && exponent >= -12 && exponent <= most_shift - 12) {
    fixed_shift_ = exponent + 12;
    return;
  }
  // To steps of 2^-12 / 3, as a factor of 15 bits.
  double factor = double{scale} * 4096 * 3;
  for (; factor <= 32767.0 / 2 && shift_ <= 30; ++shift_) factor *= 2;
  multiplier_ = saturated(factor);
}

int32_t TabulatedSigmoid::logistic(int32_t x) const {
  const int32_t positive = interpolated_sigmoid(std::abs(x), 9, 65534);
  return ((x >= 0 ? positive : (1 << 25) - positive - 1) + (1 << 9)) >> 10;
}

// 2 / (1 + e^-2x) - 1: the table in twice the steps.
int32_t TabulatedSigmoid::tanh(int32_t x) const {
  const int32_t positive = interpolated_sigmoid(std::abs(x), 8, 65535) - (1 << 23);
  return ((x >= 0 ? positive : -positive - 1) + (1 << 7)) >> 8;
}

int32_t TabulatedSigmoid::operator()(int32_t x) const {
  if (fixed_shift_ >= 0) {
    const int32_t fine = std::clamp(x * (1 << fixed_shift_), kLowest, kHighest);
    return kind_ == Kind::kTanh ? fixed_tanh(fine, 3) : fixed_logistic(fine);
  }
  const int64_t half = shift_ > 0 ? int64_t{1} << (shift_ - 1) : 0;
  // Far beyond the last entry, all inputs are alike.
  constexpr int64_t kFar = int64_t{1} << 20;
  const auto scaled = static_cast<int32_t>(std::clamp((x * multiplier_ + half) >> shift_, -kFar, kFar));
  return kind_ == Kind::kTanh ? tanh(scaled) : logistic(scaled);
}

}  // namespace sightglass

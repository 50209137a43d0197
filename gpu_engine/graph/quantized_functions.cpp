#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "graph/fixed_point.h"
#include "graph/quantized.h"
#include "graph/tabulated_functions.h"

namespace sightglass {

namespace {

constexpr int32_t kLowest = -32768, kHighest = 32767;

int16_t narrowed_to_16_bits(double x) { return static_cast<int16_t>(std::clamp(saturated(x), kLowest, kHighest)); }

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

}  // namespace

template <typename Real>
int16_t TabulatedFunction::point(Real value, Real middle, Real next) {
  const Real rounded = std::round(value);
  const Real interpolated = std::round((next + rounded) / 2);
  const Real error = interpolated - std::round(middle);
  return narrowed_to_16_bits(double{std::isfinite(error) ? rounded - std::round(error / 2) : rounded});
}
template int16_t TabulatedFunction::point(float value, float middle, float next);
template int16_t TabulatedFunction::point(double value, double middle, double next);

template <typename Real>
int16_t TabulatedFunction::last_point(Real value) {
  return narrowed_to_16_bits(double{std::round(value)});
}
template int16_t TabulatedFunction::last_point(float value);
template int16_t TabulatedFunction::last_point(double value);

int32_t TabulatedFunction::operator()(int32_t x) const {
  const auto interval = static_cast<size_t>((x - kLowest) >> 7);
  const int32_t low = points_[interval], slope = points_[interval + 1] - low;
  return low + ((slope * (x & 127) + 64) >> 7);
}

TabulatedSigmoid::TabulatedSigmoid(Kind kind, float scale) : kind_(kind) {
  const std::optional<int> exponent = exponent_of(scale);
  const int most_shift = kind == Kind::kTanh ? 1 : 0;
  if (exponent && *exponent >= -12 && *exponent <= most_shift - 12) {
    fixed_shift_ = *exponent + 12;
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

namespace {

constexpr int32_t kInt16Lowest = -32768, kInt16Highest = 32767;

// HARD_SWISH is computed in 16 bits: values are 128 times as fine as the input steps, and multipliers have 15 bits.
struct HardSwishFactors {
  FixedPoint out, relu;  // to the output steps; to a scale in which 3 is 2^15
};
HardSwishFactors hard_swish_factors(float in_scale, float out_scale) {
  const float fine = in_scale * (1.0f / 128);
  return {to_fixed_point(double{fine / out_scale}), to_fixed_point(double{fine / (3.0f / 32768)})};
}

int32_t narrow_multiplier(const FixedPoint& factor) {
  return static_cast<int32_t>(std::min<int64_t>((int64_t{factor.multiplier} + (1 << 15)) >> 16, kInt16Highest));
}

int32_t saturating_shift(int32_t x, int left) {
  return static_cast<int32_t>(std::clamp<int64_t>(int64_t{x} << left, kInt16Lowest, kInt16Highest));
}

int32_t divided(int32_t x, int exponent) {
  return static_cast<int32_t>(divide_by_power_of_two(x, exponent, Ties::kAwayFromZero));
}

int32_t hard_swish(const HardSwishFactors& factors, int32_t steps) {
  const int32_t fine = steps * 128;
  // Maps x / 3 from [-1, 1] to relu6(x + 3) / 6 in [0, 1]. The last bit of the left shift saturates.
  const int left = std::max(factors.relu.shift, 0);
  int32_t relu = multiply_q15(left > 0 ? saturating_shift(fine, left - 1) : fine, narrow_multiplier(factors.relu));
  if (left > 0) relu = saturating_shift(relu, 1);
  relu = (divided(relu, std::max(-factors.relu.shift, 0)) - kInt16Lowest) >> 1;
  const int32_t x = multiply_q15(fine, narrow_multiplier(factors.out));
  return divided(relu * x / (1 << 15), -factors.out.shift);  // the product is truncated, not rounded
}

// Factors are computed in 32 bits, like in the reference kernels of LiteRT.
IntegerFunction clamp_function(const Node& node, const Value& in, const Value& out) {
  QuantumRange range = quantum_range(out, activation_of(node.op));
  if (node.op == OpType::kRelu0To1) {
    range = {std::max(range.lowest, 0), std::min(range.highest, saturated(std::round(1 / double{scale_of(out)})))};
  }
  const FixedPoint factor = to_fixed_point(double{scale_of(in) / scale_of(out)});
  return [range, factor](int32_t steps) { return std::clamp(multiply(steps, factor), range.lowest, range.highest); };
}

IntegerFunction leaky_relu(const Node& node, const Value& in, const Value& out) {
  const float alpha = std::get<LeakyReluAttr>(node.attributes).alpha;
  if (!(alpha >= 0)) return {};
  const FixedPoint positive = to_fixed_point(double{scale_of(in) / scale_of(out)});
  const FixedPoint negative = to_fixed_point(double{scale_of(in) * alpha / scale_of(out)});
  return [=](int32_t steps) { return multiply(steps, steps < 0 ? negative : positive); };
}

// Truncated, not rounded. LiteRT refuses negative numbers.
IntegerFunction square_root(const Value& in, const Value& out) {
  return [from = scale_of(in), to = scale_of(out)](int32_t steps) {
    return steps < 0 ? 0 : saturated(double{std::sqrt(static_cast<float>(steps) * from) / to});
  };
}

IntegerFunction function_of_8_bits(const Node& node, const Value& in, const Value& out) {
  switch (node.op) {
    case OpType::kRelu:
    case OpType::kRelu6:
    case OpType::kReluN1To1:
    case OpType::kRelu0To1:
      return clamp_function(node, in, out);
    case OpType::kLeakyRelu:
      return leaky_relu(node, in, out);
    case OpType::kNeg: {  // of the stored number, which wraps around
      if (in.type != DataType::kInt8) return {};
      const int32_t from_zero = zero_point(in), to_zero = zero_point(out);
      return [=](int32_t steps) { return static_cast<int8_t>(-(steps + from_zero)) - to_zero; };
    }
    case OpType::kSqrt:
      if (in.type != DataType::kInt8) return {};
      return square_root(in, out);
    case OpType::kHardSwish: {
      const HardSwishFactors factors = hard_swish_factors(scale_of(in), scale_of(out));
      if (factors.out.shift > 0) return {};
      return [factors](int32_t steps) { return hard_swish(factors, steps); };
    }
    default:
      return {};
  }
}

float gelu(float x, bool approximate) {
  if (!approximate) return 0.5f * x * std::erfc(-x * 0.70710678f);
  return 0.5f * x * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}

IntegerFunction function_of_16_bits(const Node& node, const Value& in, const Value& out) {
  if (zero_point(in) != 0 || zero_point(out) != 0) return {};
  const float from = scale_of(in), to = scale_of(out);
  switch (node.op) {
    case OpType::kRelu:
    case OpType::kRelu6:
      return clamp_function(node, in, out);
    case OpType::kLeakyRelu:
      return leaky_relu(node, in, out);
    case OpType::kAbs:
      return [factor = to_fixed_point(double{from / to})](int32_t steps) { return multiply(std::abs(steps), factor); };
    case OpType::kSqrt:
      return square_root(in, out);
    case OpType::kExp:
      return TabulatedFunction([](float x) { return std::exp(x); }, from, to);
    case OpType::kLog:
      return TabulatedFunction([to](float x) { return x > 0 ? std::log(x) : to * kInt16Lowest; }, from, to);
    case OpType::kGelu: {
      const bool approximate = std::get<GeluAttr>(node.attributes).approximate;
      return TabulatedFunction([approximate](float x) { return gelu(x, approximate); }, from, to);
    }
    case OpType::kLogistic:
    case OpType::kTanh:
      if (to != 1.0f / 32768) return {};
      return TabulatedSigmoid(
          node.op == OpType::kTanh ? TabulatedSigmoid::Kind::kTanh : TabulatedSigmoid::Kind::kLogistic, from);
    default:
      return {};
  }
}

}  // namespace

IntegerFunction integer_function(const Graph& graph, const Node& node) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  if (!is_quantized(in) || !is_quantized(out)) return {};
  const bool wide = in.type == DataType::kInt16, wide_result = out.type == DataType::kInt16;
  if (wide != wide_result) return {};
  return wide ? function_of_16_bits(node, in, out) : function_of_8_bits(node, in, out);
}

// SOFTMAX of 16-bit integers.

namespace {

constexpr int32_t kFirstInput = -32768, kLastInput = 32767;
// Above this, the sum of the exponentials of a row does not fit into 32 bits.
constexpr int32_t kMostExponentials = 65535;

}  // namespace

bool has_integer_softmax(const Graph& graph, const Node& node) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  for (const Value* value : {&in, &out}) {
    if (value->type != DataType::kInt16 || !is_quantized(*value) || zero_point(*value) != 0) return false;
  }
  if (in.shape.dim(in.shape.rank() - 1) > kMostExponentials) return false;
  constexpr float kStep = 1.0f / 32768;
  return node.op == OpType::kSoftmax && node.activation == Activation::kNone &&
         std::abs(scale_of(out) - kStep) <= 0.001f * kStep && std::get<SoftmaxAttr>(node.attributes).beta > 0;
}

IntegerSoftmax::IntegerSoftmax(const Graph& graph, const Node& node)
    : factor_(
          to_fixed_point(double{scale_of(graph.value(node.inputs[0])) * std::get<SoftmaxAttr>(node.attributes).beta} /
                         (10.0 / 65535))),
      exponential_(TabulatedFunction::between(-10, 0, [](double x) { return std::exp(x); })),
      reciprocal_(TabulatedFunction::between(0, 1, [](double x) { return 1 / (1 + x); })) {}

void IntegerSoftmax::operator()(std::span<int32_t> row) const {
  const int32_t largest = *std::ranges::max_element(row);
  uint32_t sum = 0;
  for (int32_t& x : row) {
    const int64_t scaled = multiply(x - largest, factor_);
    x = exponential_(static_cast<int32_t>(std::clamp<int64_t>(scaled + kLastInput, kFirstInput, kLastInput)));
    sum += static_cast<uint32_t>(x);
  }
  // The sum is 2^exponent times a number from 1 to 2, of which the table has the reciprocals.
  const int exponent = std::bit_width(sum) - 1;
  const uint32_t fraction = ((sum << (30 - exponent)) + (1 << 13)) >> 14;
  const int32_t reciprocal = reciprocal_(std::min(static_cast<int32_t>(fraction) - (1 << 16) - (1 << 15), kLastInput));
  for (int32_t& x : row) {
    x = std::clamp((x * reciprocal + (1 << (exponent - 1))) >> exponent, 0, kLastInput);
  }
}

}  // namespace sightglass

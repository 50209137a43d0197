#include "graph/quantized_functions.h"

#include <algorithm>
#include <cmath>

#include "graph/quantized.h"
#include "graph/tabulated_functions.h"

namespace sightglass {
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

}  // namespace sightglass

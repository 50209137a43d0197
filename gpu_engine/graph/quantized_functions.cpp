#include "graph/quantized_functions.h"

#include <algorithm>
#include <cmath>

#include "graph/quantized.h"

namespace sightglass {
namespace {

constexpr int32_t kInt16Lowest = -32768, kInt16Highest = 32767;

bool is_8_bit(const Value& value) {
  return is_quantized(value) && (value.type == DataType::kInt8 || value.type == DataType::kUInt8);
}

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

}  // namespace

bool has_integer_function(const Graph& graph, const Node& node) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  if (!is_8_bit(in) || !is_8_bit(out)) return false;
  switch (node.op) {
    case OpType::kRelu:
    case OpType::kRelu6:
    case OpType::kReluN1To1:
    case OpType::kRelu0To1:
      return true;
    case OpType::kNeg:
      return in.type == DataType::kInt8;
    case OpType::kLeakyRelu:
      return std::get<LeakyReluAttr>(node.attributes).alpha >= 0;
    case OpType::kHardSwish:
      return hard_swish_factors(scale_of(in), scale_of(out)).out.shift <= 0;
    default:  // TensorFlow Lite computes these in floats
      return false;
  }
}

// Factors are computed in 32 bits, like in the reference kernels of TensorFlow Lite.
int32_t integer_function(const Graph& graph, const Node& node, int32_t steps) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  const float in_scale = scale_of(in), out_scale = scale_of(out);
  if (node.op == OpType::kHardSwish) return hard_swish(hard_swish_factors(in_scale, out_scale), steps);
  if (node.op == OpType::kLeakyRelu && steps < 0) {
    const float slope = std::get<LeakyReluAttr>(node.attributes).alpha;
    return multiply(steps, to_fixed_point(double{in_scale * slope / out_scale}));
  }
  if (node.op == OpType::kNeg) {  // of the stored number, which wraps around
    return static_cast<int8_t>(-(steps + zero_point(in))) - zero_point(out);
  }
  QuantumRange range = quantum_range(out, activation_of(node.op));
  if (node.op == OpType::kRelu0To1) {
    range = {std::max(range.lowest, 0), std::min(range.highest, saturated(std::round(1 / double{out_scale})))};
  }
  return std::clamp(multiply(steps, to_fixed_point(double{in_scale / out_scale})), range.lowest, range.highest);
}

}  // namespace sightglass

// Operators on quantized tensors, as in the integer kernels of TensorFlow Lite: exact sums of integers, scaled in fixed
// point. Sums are those of the float kernels on integers, which are exact up to 2^24.
#include <algorithm>
#include <cmath>

#include "graph/fixed_point.h"
#include "graph/quantized.h"
#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

const Value& value_in(const Call& call, size_t i) { return call.graph.value(call.node.inputs[i]); }
const Value& value_out(const Call& call) { return call.graph.value(call.node.outputs[0]); }

// Runs the same node on other values.
HostTensor on(const Call& call, Function function, std::vector<HostTensor>& tensors, const Shape& shape) {
  std::vector<const HostTensor*> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) inputs.push_back(call.has(i) ? &tensors[i] : nullptr);
  const Value& out = value_out(call);
  const bool real = out.type == DataType::kFloat32 || is_quantized(out);
  HostTensor result(real ? DataType::kFloat32 : out.type, shape);
  function({call.graph, call.node, inputs}, result);
  return result;
}

// Runs on the dequantized values of all inputs. Only the result is quantized.
void on_real_numbers(const Call& call, Function function, HostTensor& out) {
  std::vector<HostTensor> real(call.inputs.size());
  for (size_t i = 0; i < real.size(); ++i) {
    if (!call.has(i)) continue;
    const HostTensor& input = call.input(i);
    const bool as_it_is = input.type == DataType::kFloat32 || input.type == DataType::kBool;
    real[i] =
        as_it_is ? input
                 : HostTensor::from_floats(input.shape, real_operand(call.graph, call.node, i, input.type, input.data));
  }
  HostTensor result = on(call, function, real, out.shape);
  activate(call, result);
  if (is_quantized(value_out(call))) {
    quantize(value_out(call), result.as<float>(), out.data);
  } else {
    out.data = result.data;
  }
}

std::vector<HostTensor> steps_of_inputs(const Call& call) {
  std::vector<HostTensor> steps(call.inputs.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!call.has(i)) continue;
    const HostTensor& input = call.input(i);
    steps[i] = HostTensor::from_floats(input.shape, steps_from_zero(value_in(call, i), input.type, input.data));
  }
  return steps;
}

// Rounds and stores `quanta(i)` for every element.
template <typename Quanta>
void store(const Call& call, HostTensor& out, Quanta quanta) {
  std::vector<int32_t> steps(static_cast<size_t>(out.shape.elements()));
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = quanta(i);
  store_quanta(value_out(call), quantum_range(value_out(call), call.node.activation), steps, out.data);
}

// Convolutions and the fully connected layer.
void weighted_sum(const Call& call, Function function, HostTensor& out) {
  std::vector<HostTensor> steps = steps_of_inputs(call);
  const HostTensor sums = on(call, function, steps, out.shape);
  const int32_t channels = out.shape.dim(out.shape.rank() - 1);
  const Requantization to_output = requantization(call.graph, call.node, channels);
  store(call, out, [&](size_t i) {
    const FixedPoint& factor = to_output.factors[i % static_cast<size_t>(channels)];
    return multiply(saturated(double{sums.as<float>()[i]}), factor, to_output.rounding);
  });
}

// Stores `quanta(x, y)` for the steps of every two operands.
template <typename Quanta>
void combine(const Call& call, HostTensor& out, Quanta quanta) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  const std::vector<int64_t> from_a = broadcast_places(call.shape(0), out.shape);
  const std::vector<int64_t> from_b = broadcast_places(call.shape(1), out.shape);
  store(call, out, [&](size_t i) {
    const float x = steps[0].as<float>()[static_cast<size_t>(from_a[i])];
    const float y = steps[1].as<float>()[static_cast<size_t>(from_b[i])];
    return quanta(static_cast<int32_t>(x), static_cast<int32_t>(y));
  });
}

// Converts steps to the common scale of both operands, which has many more bits.
int32_t widened(int32_t steps, const SumFactors& factors, const FixedPoint& factor) {
  return multiply(saturated(std::ldexp(static_cast<double>(steps), factors.headroom)), factor);
}

void sum_or_difference(const Call& call, HostTensor& out) {
  const SumFactors factors = sum_factors(call.graph, call.node);
  const double sign = call.node.op == OpType::kSub ? -1 : 1;
  combine(call, out, [&](int32_t x, int32_t y) {
    return multiply(saturated(widened(x, factors, factors.a) + sign * widened(y, factors, factors.b)), factors.out);
  });
}

void squared_difference(const Call& call, HostTensor& out) {
  const SumFactors factors = squared_difference_factors(call.graph, call.node);
  combine(call, out, [&](int32_t x, int32_t y) {
    const int32_t difference = widened(x, factors, factors.a) - widened(y, factors, factors.b);
    return multiply(difference * difference, factors.out);
  });
}

void product(const Call& call, HostTensor& out) {
  const FixedPoint factor = product_factor(call.graph, call.node);
  combine(call, out, [&](int32_t x, int32_t y) { return multiply(x * y, factor); });
}

void prelu(const Call& call, HostTensor& out) {
  const FixedPoint factor = prelu_factor(value_in(call, 0), value_out(call));
  const FixedPoint negative = product_factor(call.graph, call.node);
  combine(call, out, [&](int32_t x, int32_t y) { return x >= 0 ? multiply(x, factor) : multiply(x * y, negative); });
}

void requantize(const Call& call, HostTensor& out) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  const FixedPoint factor = rescale_factor(value_in(call, 0), value_out(call));
  store(call, out, [&](size_t i) { return multiply(saturated(double{steps[0].as<float>()[i]}), factor); });
}

std::vector<double> sums_of_steps(const Call& call, const HostTensor& out) {
  std::vector<HostTensor> steps = steps_of_inputs(call);
  Node sum = call.node;
  sum.op = OpType::kSum;
  const HostTensor sums = on({call.graph, sum, call.inputs}, reduce, steps, out.shape);
  return {sums.as<float>().begin(), sums.as<float>().end()};
}

void mean_of_integers(const Call& call, HostTensor& out) {
  const std::vector<double> sums = sums_of_steps(call, out);
  const MeanFactors factors = mean_factors(call.graph, call.node);
  store(call, out, [&](size_t i) {
    const double mean = multiply(saturated(sums[i] + factors.before), factors.factor);
    return saturated(mean + factors.after);
  });
}

// In real numbers, rounded to the nearest, halves away from zero.
void sum_of_integers(const Call& call, HostTensor& out) {
  const std::vector<double> sums = sums_of_steps(call, out);
  const double factor = double{scale_of(value_in(call, 0))} / double{scale_of(value_out(call))};
  store(call, out, [&](size_t i) { return saturated(std::round(sums[i] * factor)); });
}

// Rounds the stored values to the nearest, halves away from zero, not their distance from the zero point.
void average(const Call& call, HostTensor& out) {
  std::vector<HostTensor> steps = steps_of_inputs(call);
  const HostTensor averages = on(call, pool2d, steps, out.shape);
  const double zero = zero_point(value_in(call, 0));
  store(call, out, [&](size_t i) { return saturated(std::round(double{averages.as<float>()[i]} + zero) - zero); });
}

void resize_of_bytes(const Call& call, HostTensor& out) {
  std::vector<HostTensor> steps = steps_of_inputs(call);
  const HostTensor interpolated = on(call, resize_bilinear, steps, out.shape);
  const double zero = zero_point(value_in(call, 0));
  store(call, out,
        [&](size_t i) { return saturated(std::floor(double{interpolated.as<float>()[i]} + zero + 0.5) - zero); });
}

void function_of_integers(const Call& call, const IntegerFunction& function, HostTensor& out) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  store(call, out, [&](size_t i) { return function(static_cast<int32_t>(steps[0].as<float>()[i])); });
}

}  // namespace

void quantized(const Call& call, Function function, HostTensor& out) {
  const bool integers = is_quantized(value_in(call, 0)) && is_quantized(value_out(call));
  if (!integers) return on_real_numbers(call, function, out);
  if (const IntegerFunction exact = integer_function(call.graph, call.node)) {
    return function_of_integers(call, exact, out);
  }
  switch (call.node.op) {
    case OpType::kConv2d:
    case OpType::kDepthwiseConv2d:
    case OpType::kTransposeConv:
    case OpType::kFullyConnected:
      if (sums_integers(call.graph, call.node)) return weighted_sum(call, function, out);
      break;
    case OpType::kAdd:
    case OpType::kSub:
      return sum_or_difference(call, out);
    case OpType::kMul:
      return product(call, out);
    case OpType::kPrelu:
      if (value_in(call, 0).type != DataType::kInt16) return prelu(call, out);
      break;
    case OpType::kSquaredDifference:
      if (value_in(call, 0).type != DataType::kInt16) return squared_difference(call, out);
      break;
    case OpType::kQuantize:
      return requantize(call, out);
    case OpType::kMean:
      return mean_of_integers(call, out);
    case OpType::kSum:
      return sum_of_integers(call, out);
    case OpType::kAveragePool2d:
      return average(call, out);
    case OpType::kResizeBilinear:
      if (resizes_bytes(call.graph, call.node)) return resize_of_bytes(call, out);
      if (resizes_integers(call.graph, call.node)) return resize_bilinear_int8(call, out);
      break;
    default:  // TensorFlow Lite has no integer arithmetic for the others
      break;
  }
  on_real_numbers(call, function, out);
}

// DYNAMIC_QUANTIZE: quantizes values to 8 bits over their actual range. Formulas as in SymmetricQuantizeFloats and
// AsymmetricQuantizeFloats of TensorFlow Lite.

namespace {

struct Quanta {
  float scale = 1, inverse = 0;
  float zero = 0, lowest = 0, highest = 0;
};

Quanta symmetric(std::span<const float> values) {
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::abs(v));
  if (largest == 0) return {};
  return {largest / 127, 127 / largest, 0, -127, 127};
}

// The zero point is rounded, so that zero stays exact.
Quanta asymmetric(std::span<const float> values) {
  float low = 0, high = 0;
  for (const float v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low == high) return {};
  const float scale = (high - low) / 255;
  const float from_low = -128 - low / scale, from_high = 127 - high / scale;
  const bool low_is_closer = 128 + std::abs(low / scale) < 127 + std::abs(high / scale);
  const float zero = std::round(std::clamp(low_is_closer ? from_low : from_high, -128.0f, 127.0f));
  return {scale, 1 / scale, zero, -128, 127};
}

}  // namespace

void dynamic_quantize(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<DynamicQuantizeAttr>();
  const std::span<const float> from = call.floats(0);
  const std::span<float> to = out.as<float>();
  const auto group = static_cast<size_t>(attr.group);
  for (size_t start = 0; start < from.size(); start += group) {
    const std::span<const float> values = from.subspan(start, group);
    const Quanta q = attr.asymmetric ? asymmetric(values) : symmetric(values);
    for (size_t i = 0; i < group; ++i) {
      const float steps = std::clamp(std::round(q.zero + values[i] * q.inverse), q.lowest, q.highest) - q.zero;
      to[start + i] = steps * q.scale;
    }
  }
}

}  // namespace sightglass::ref

// Operators on quantized tensors, as in the integer kernels of TensorFlow Lite: exact sums of integers, scaled in fixed
// point. Sums are those of the float kernels on integers, which are exact up to 2^24.
#include <algorithm>
#include <cmath>

#include "graph/fixed_point.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "graph/tabulated_functions.h"
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

// Replaces steps from the zero point of `from` by their results in a table for `to`.
void look_up(const Value& from, const Value& to, const std::vector<int32_t>& table, std::vector<int32_t>& steps) {
  const int32_t lowest = quantum_range(from, Activation::kNone).lowest, zero = zero_point(to);
  for (int32_t& x : steps) x = table[static_cast<size_t>(x - lowest)] - zero;
}

// Rounds and stores `quanta(i)` for every element.
template <typename Quanta>
void store(const Call& call, HostTensor& out, Quanta quanta) {
  std::vector<int32_t> steps(static_cast<size_t>(out.shape.elements()));
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = quanta(i);
  store_quanta(value_out(call), quantum_range(value_out(call), call.node.activation), steps, out.data);
}

// Converts steps to the common scale of both operands, which has many more bits.
int32_t widened(int32_t steps, const SumFactors& factors, const FixedPoint& factor) {
  return multiply(saturated(std::ldexp(static_cast<double>(steps), factors.headroom)), factor);
}

int32_t sum_of(int32_t x, int32_t y, int32_t sign, const SumFactors& factors) {
  const int64_t sum = int64_t{widened(x, factors, factors.a)} + int64_t{sign} * widened(y, factors, factors.b);
  return multiply(saturated(static_cast<double>(sum)), factors.out);
}

// Convolutions and the fully connected layer.
void weighted_sum(const Call& call, Function function, HostTensor& out) {
  std::vector<HostTensor> steps = steps_of_inputs(call);
  std::vector<const HostTensor*> inputs = call.inputs;
  const bool adds = residual_of(call.node) != kNone;
  if (adds) inputs[kResidualInput] = nullptr;
  const HostTensor sums = on({call.graph, call.node, inputs}, function, steps, out.shape);
  const int32_t channels = out.shape.dim(out.shape.rank() - 1);
  const Requantization to_output = requantization(call.graph, call.node, channels);
  std::vector<int32_t> rounded;
  for (const float sum : sums.as<float>()) {
    const FixedPoint& factor = to_output.factors[rounded.size() % static_cast<size_t>(channels)];
    const int32_t quanta = multiply(saturated(double{sum}), factor, to_output.rounding);
    rounded.push_back(std::clamp(quanta, to_output.range.lowest, to_output.range.highest));
  }
  const Value& summand = adds ? *call.node.summand : value_out(call);
  if (!call.node.table.empty()) look_up(*call.node.rounded, summand, call.node.table, rounded);
  if (adds) {
    const SumFactors factors = sum_factors(summand, value_in(call, kResidualInput), value_out(call));
    HostTensor residual(DataType::kFloat32,
                        out.shape);  // of every element: it may be sampled, or of the first channels
    std::vector<const HostTensor*> addend(kResidualInput + 1);
    addend[kResidualInput] = &steps[kResidualInput];
    add_residual({call.graph, call.node, addend}, residual);
    for (size_t i = 0; i < rounded.size(); ++i) {
      rounded[i] = sum_of(rounded[i], static_cast<int32_t>(residual.as<float>()[i]), 1, factors);
    }
  }
  store_quanta(value_out(call), result_range(call.graph, call.node), rounded, out.data);
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

void sum_or_difference(const Call& call, HostTensor& out) {
  const int32_t sign = call.node.op == OpType::kSub ? -1 : 1;
  if (const std::optional<SumShifts> shifts = sum_shifts(call.graph, call.node)) {
    return combine(call, out, [&](int32_t x, int32_t y) {
      return shifted_operand(x, shifts->a) + sign * shifted_operand(y, shifts->b);
    });
  }
  const SumFactors factors = sum_factors(call.graph, call.node);
  combine(call, out, [&](int32_t x, int32_t y) { return sum_of(x, y, sign, factors); });
}

void compare_integers(const Call& call, Function function, const SumFactors& factors, HostTensor& out) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  std::vector<HostTensor> numbers;
  for (const size_t i : {0, 1}) {
    numbers.emplace_back(DataType::kInt32, call.shape(i));
    std::ranges::transform(steps[i].as<float>(), numbers[i].as<int32_t>().begin(), [&](float x) {
      return widened(static_cast<int32_t>(x), factors, i == 0 ? factors.a : factors.b);
    });
  }
  out.data = on(call, function, numbers, out.shape).data;
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

void quotient(const Call& call, HostTensor& out) {
  const FixedPoint factor = quotient_factor(call.graph, call.node);
  combine(call, out, [&](int32_t x, int32_t y) { return fixed_quotient(x, y, factor); });
}

void product_of_matrices(const Call& call, const FixedPoint& factor, HostTensor& out) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  const std::vector<double> sums = matrix_product({call.graph, call.node, {&steps[0], &steps[1]}}, out.shape);
  store(call, out, [&](size_t i) { return multiply_wide(static_cast<int64_t>(sums[i]), factor); });
}

// In the order of the elements.
void product_of_elements(const Call& call, const FixedPoint& factor, HostTensor& out) {
  const HostTensor steps = std::move(steps_of_inputs(call)[0]);
  const std::vector<int64_t> to = reduced_places(call.shape(0), call.attributes<ReduceAttr>().axes);
  std::vector<std::optional<int32_t>> products(static_cast<size_t>(out.shape.elements()));
  for (size_t i = 0; i < to.size(); ++i) {
    std::optional<int32_t>& product = products[static_cast<size_t>(to[i])];
    const auto x = static_cast<int32_t>(steps.as<float>()[i]);
    product = product ? multiply_wide(int64_t{*product} * x, factor) : x;
  }
  store(call, out, [&](size_t i) { return multiply_wide(*products[i], factor); });
}

void prelu(const Call& call, HostTensor& out) {
  const FixedPoint factor = prelu_factor(value_in(call, 0), value_out(call));
  const FixedPoint negative = product_factor(call.graph, call.node);
  combine(call, out, [&](int32_t x, int32_t y) { return x >= 0 ? multiply(x, factor) : multiply(x * y, negative); });
}

// Data in the quantization of the result.
void pad_integers(const Call& call, HostTensor& out) {
  std::vector<HostTensor> steps = steps_of_inputs(call);
  const HostTensor padded = on(call, pad, steps, out.shape);
  store(call, out, [&](size_t i) { return static_cast<int32_t>(padded.as<float>()[i]); });
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

// Interpolates the stored values in 32 bits, and rounds halves up.
void resize_of_bytes(const Call& call, HostTensor& out) {
  const std::span<const uint8_t> bytes = call.input(0).as<uint8_t>();
  std::vector<HostTensor> numbers;
  numbers.push_back(HostTensor::from_floats(call.shape(0), std::vector<float>(bytes.begin(), bytes.end())));
  const HostTensor interpolated = on(call, resize_bilinear, numbers, out.shape);
  const int32_t zero = zero_point(value_in(call, 0));
  store(call, out, [&](size_t i) { return static_cast<int32_t>(interpolated.as<float>()[i] + 0.5f) - zero; });
}

void function_of_integers(const Call& call, const IntegerFunction& function, HostTensor& out) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  store(call, out, [&](size_t i) { return function(static_cast<int32_t>(steps[0].as<float>()[i])); });
}

// Stores the results of `function` for the rows along the last dimension, which it replaces.
template <typename RowFunction>
void rows_of_integers(const Call& call, const RowFunction& function, HostTensor& out) {
  const std::vector<HostTensor> steps = steps_of_inputs(call);
  std::vector<int32_t> rows(steps[0].as<float>().begin(), steps[0].as<float>().end());
  const auto depth = static_cast<size_t>(out.shape.dim(out.shape.rank() - 1));
  for (size_t first = 0; first < rows.size(); first += depth) function(std::span(rows).subspan(first, depth));
  store(call, out, [&](size_t i) { return rows[i]; });
}

// uint8 is multiplied by 128 before it is divided, int8 with it.
void normalize_integers(const Call& call, HostTensor& out) {
  constexpr int kBits = 7;
  const bool before = out.type == DataType::kUInt8;
  const auto normalize = [before](std::span<int32_t> row) {
    int32_t squares = 0;
    for (const int32_t x : row) squares += x * x;
    FixedPoint factor = fixed_inverse_root(squares);
    if (!before) factor.shift += kBits;
    for (int32_t& x : row) x = multiply(before ? x * (1 << kBits) : x, factor);
  };
  rows_of_integers(call, normalize, out);
}

}  // namespace

void quantized(const Call& call, Function function, HostTensor& out) {
  if (operators::has(call.node.op, operators::kCompares)) {
    const std::optional<SumFactors> factors = comparison_factors(call.graph, call.node);
    return factors ? compare_integers(call, function, *factors, out) : on_real_numbers(call, function, out);
  }
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
    case OpType::kDiv:
      return quotient(call, out);
    case OpType::kBatchMatmul:
      if (const auto factor = wide_matmul_factor(call.graph, call.node)) return product_of_matrices(call, *factor, out);
      break;
    case OpType::kReduceProd:
      if (const auto factor = wide_product_factor(call.graph, call.node))
        return product_of_elements(call, *factor, out);
      break;
    case OpType::kPrelu:
      if (has_integer_prelu(call.graph, call.node)) return prelu(call, out);
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
    case OpType::kPad:
      return pad_integers(call, out);
    case OpType::kSoftmax:
      if (has_integer_softmax(call.graph, call.node)) {
        return rows_of_integers(call, IntegerSoftmax(call.graph, call.node), out);
      }
      break;
    case OpType::kL2Normalization:
      if (normalizes_integers(call.graph, call.node)) return normalize_integers(call, out);
      break;
    case OpType::kResizeBilinear:
      if (resizes_bytes(call.graph, call.node)) return resize_of_bytes(call, out);
      if (resizes_integers(call.graph, call.node)) return resize_bilinear_integers(call, out);
      break;
    default:  // TensorFlow Lite has no integer arithmetic for the others
      break;
  }
  on_real_numbers(call, function, out);
}

void lookup(const Call& call, HostTensor& out) {
  const HostTensor steps = std::move(steps_of_inputs(call)[0]);
  std::vector<int32_t> results(steps.as<float>().begin(), steps.as<float>().end());
  look_up(value_in(call, 0), value_out(call), call.attributes<LookupAttr>().results, results);
  store_quanta(value_out(call), quantum_range(value_out(call), Activation::kNone), results, out.data);
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

#include "graph/quantized.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace sightglass {

namespace {

constexpr size_t kDataInput = 0, kWeightsInput = 1, kBiasInput = 2;

template <typename T>
std::vector<double> widen(std::span<const std::byte> bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    T v;
    std::memcpy(&v, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<double>(v);
  }
  return numbers;
}

std::vector<double> elements(DataType stored, std::span<const std::byte> bytes) {
  switch (stored) {
    case DataType::kFloat32:
      return widen<float>(bytes);
    case DataType::kInt8:
      return widen<int8_t>(bytes);
    case DataType::kUInt8:
    case DataType::kBool:
      return widen<uint8_t>(bytes);
    case DataType::kInt16:
      return widen<int16_t>(bytes);
    case DataType::kInt32:
      return widen<int32_t>(bytes);
    case DataType::kInt64:
      return widen<int64_t>(bytes);
    case DataType::kFloat16:
      break;
  }
  std::vector<double> numbers;
  for (const double bits : widen<uint16_t>(bytes)) numbers.push_back(half_to_float(static_cast<uint16_t>(bits)));
  return numbers;
}

template <typename T>
void quantize_as(const Quantization& q, std::span<const float> real, std::span<std::byte> bytes) {
  const double zero = q.zero_point.empty() ? 0.0 : static_cast<double>(q.zero_point[0]);
  for (size_t i = 0; i < real.size(); ++i) {
    // In 64 bits: in 32 bits, 2 of the 460,992 values that style_transfer_quantized quantizes would differ.
    const double steps = std::round(double{real[i]} / double{q.scale[0]}) + zero;
    const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    const T v = static_cast<T>(std::clamp(std::isnan(steps) ? zero : steps, low, high));
    std::memcpy(bytes.data() + i * sizeof(T), &v, sizeof(T));
  }
}

}  // namespace

bool is_quantized(const Value& value) {
  const bool integers =
      value.type == DataType::kInt8 || value.type == DataType::kUInt8 || value.type == DataType::kInt16;
  return integers && value.quantization.scale.size() == 1 && value.quantization.scale[0] > 0;
}

bool computes_quantized(const Graph& graph, const Node& node) {
  return is_quantized(graph.value(node.inputs[kDataInput])) || is_quantized(graph.value(node.outputs[0]));
}

std::vector<float> real_numbers(const Value& value, DataType stored, std::span<const std::byte> bytes) {
  if (stored == DataType::kFloat32) {
    std::vector<float> real(bytes.size() / sizeof(float));
    if (!real.empty()) std::memcpy(real.data(), bytes.data(), real.size() * sizeof(float));
    return real;
  }
  const std::vector<double> from = elements(stored, bytes);
  std::vector<float> real(from.size());
  const Quantization& q = value.quantization;
  const bool plain = q.empty() || stored == DataType::kFloat16;
  size_t inner = 1;
  for (int axis = q.axis + 1; axis < value.shape.rank(); ++axis) inner *= static_cast<size_t>(value.shape.dim(axis));
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t entry = plain ? 0 : i / inner % q.scale.size();
    const double zero = plain || entry >= q.zero_point.size() ? 0.0 : static_cast<double>(q.zero_point[entry]);
    real[i] = static_cast<float>(plain ? from[i] : double{q.scale[entry]} * (from[i] - zero));
  }
  return real;
}

bool same_quantization(const Value& value, const Quantization& other) {
  const int64_t zero = other.zero_point.empty() ? 0 : other.zero_point[0];
  return value.quantization.scale == other.scale && zero_point(value) == zero;
}

std::vector<float> real_operand(const Graph& graph, const Node& node, size_t index, DataType stored,
                                std::span<const std::byte> bytes) {
  const Value& value = graph.value(node.inputs[index]);
  // Older converters wrote the weights of operators with float activations as uint8 instead of int8.
  const bool weights = has_weights(node.op) && index == kWeightsInput;
  if (weights && stored == DataType::kUInt8 && graph.value(node.inputs[kDataInput]).type == DataType::kFloat32) {
    stored = DataType::kInt8;
  }
  const bool bias = has_weights(node.op) && index == kBiasInput;
  if (!bias || (stored != DataType::kInt32 && stored != DataType::kInt64)) return real_numbers(value, stored, bytes);
  const auto scale_at = [&](size_t input, size_t channel) {
    const std::vector<float>& scale = graph.value(node.inputs[input]).quantization.scale;
    return scale.empty() ? 1.0 : double{scale[scale.size() == 1 ? 0 : channel % scale.size()]};
  };
  const std::vector<double> from = elements(stored, bytes);
  std::vector<float> real(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    real[i] = static_cast<float>(from[i] * scale_at(kDataInput, 0) * scale_at(kWeightsInput, i));
  }
  return real;
}

void quantize(const Value& value, std::span<const float> real, std::span<std::byte> bytes) {
  switch (value.type) {
    case DataType::kInt8:
      return quantize_as<int8_t>(value.quantization, real, bytes);
    case DataType::kUInt8:
      return quantize_as<uint8_t>(value.quantization, real, bytes);
    case DataType::kInt16:
      return quantize_as<int16_t>(value.quantization, real, bytes);
    default:
      return;
  }
}

std::vector<float> steps_from_zero(const Value& value, DataType stored, std::span<const std::byte> bytes) {
  const std::vector<double> from = elements(stored, bytes);
  std::vector<float> steps(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    const std::vector<int64_t>& zero = value.quantization.zero_point;
    steps[i] = static_cast<float>(from[i] - (zero.empty() ? 0.0 : static_cast<double>(zero[0])));
  }
  return steps;
}

bool is_clamp(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu || activation == Activation::kRelu6 ||
         activation == Activation::kReluN1To1;
}

const Value& rounded_sums(const Graph& graph, const Node& node) {
  return node.rounded ? *node.rounded : graph.value(node.outputs[0]);
}

bool sums_integers(const Graph& graph, const Node& node) {
  const Value& weights = graph.value(node.inputs[kWeightsInput]);
  return is_clamp(node.activation) && is_quantized(graph.value(node.inputs[kDataInput])) &&
         is_quantized(graph.value(node.outputs[0])) &&
         (weights.type == DataType::kInt8 || weights.type == DataType::kUInt8) && !weights.quantization.empty();
}

namespace {

template <typename T>
QuantumRange whole_range(int32_t zero) {
  return {std::numeric_limits<T>::min() - zero, std::numeric_limits<T>::max() - zero};
}

}  // namespace

float scale_of(const Value& value) { return value.quantization.scale[0]; }

int32_t zero_point(const Value& value) {
  const std::vector<int64_t>& zero = value.quantization.zero_point;
  return zero.empty() ? 0 : static_cast<int32_t>(zero[0]);
}

SumFactors sum_factors(const Value& first, const Value& second, const Value& out) {
  const double a = scale_of(first), b = scale_of(second);
  const double twice = 2 * std::max(a, b);
  const int headroom = out.type == DataType::kInt16 ? 15 : 20;
  return {headroom, to_fixed_point(a / twice), to_fixed_point(b / twice),
          to_fixed_point(twice / (double(1 << headroom) * scale_of(out)))};
}

SumFactors sum_factors(const Graph& graph, const Node& node) {
  return sum_factors(graph.value(node.inputs[0]), graph.value(node.inputs[1]), graph.value(node.outputs[0]));
}

namespace {

double real_of(const FixedPoint& factor) { return std::ldexp(factor.multiplier, factor.shift - 31); }

// For every result above the lowest one, the least sum that has it.
std::vector<int64_t> least_sums(const FixedPoint& factor, const QuantumRange& range) {
  constexpr double kMost = 1 << 30;
  constexpr int64_t kBefore = 3;
  std::vector<int64_t> sums;
  for (int32_t q = range.lowest + 1; q <= range.highest; ++q) {
    const double tie = std::clamp((q - 0.5) / real_of(factor), -kMost, kMost);
    auto sum = static_cast<int64_t>(std::floor(tie)) - kBefore;
    while (sum < (1 << 30) && multiply(static_cast<int32_t>(sum), factor) < q) ++sum;
    sums.push_back(sum);
  }
  return sums;
}

// A factor in steps of 2^-30. None if it has more than 32 bits.
std::optional<int32_t> in_small_steps(double factor) {
  const double steps = std::round(std::ldexp(factor, 30));
  if (!(steps <= std::numeric_limits<int32_t>::max())) return std::nullopt;
  return static_cast<int32_t>(steps);
}

// Of a + sign * b, in the range.
std::optional<NearestSum> nearest_sum(const Value& a, const Value& b, const Value& out, int32_t sign,
                                      const QuantumRange& range) {
  constexpr int kLeastShift = -29;
  constexpr int64_t kStep = 1 << 30;
  for (const Value* value : {&a, &b, &out}) {
    if (value->type != DataType::kInt8 && value->type != DataType::kUInt8) return std::nullopt;
  }
  const SumFactors factors = sum_factors(a, b, out);
  if (factors.out.shift >= 0 || factors.out.shift < kLeastShift) return std::nullopt;
  const double scale = std::ldexp(real_of(factors.out), factors.headroom);
  const std::optional<int32_t> step_a = in_small_steps(real_of(factors.a) * scale);
  const std::optional<int32_t> step_b = in_small_steps(real_of(factors.b) * scale);
  if (!step_a || !step_b) return std::nullopt;
  NearestSum result{*step_a, sign * *step_b, 0, 1 << (-kLeastShift + 1 + factors.out.shift)};

  const QuantumRange of_a = quantum_range(a, Activation::kNone), of_b = quantum_range(b, Activation::kNone);
  const std::vector<int64_t> least = least_sums(factors.out, range);
  const auto scaled = [&](int32_t x, const FixedPoint& factor) { return multiply(x << factors.headroom, factor); };
  std::vector<int64_t> summands;  // ascending
  const int32_t count_b = of_b.highest - of_b.lowest;
  const auto operand_b = [&](int32_t i) { return sign > 0 ? of_b.lowest + i : of_b.highest - i; };
  for (int32_t i = 0; i <= count_b; ++i) summands.push_back(int64_t{sign} * scaled(operand_b(i), factors.b));
  // Of the half step: every pair of operands bounds it, at ties above or below its result.
  int64_t most = std::numeric_limits<int64_t>::max(), too_low = std::numeric_limits<int64_t>::min();
  for (int32_t x = of_a.lowest; x <= of_a.highest; ++x) {
    const int64_t sum_of_a = scaled(x, factors.a), steps_of_a = int64_t{x} * result.a;
    int32_t q = range.lowest;
    for (int32_t i = 0; i <= count_b; ++i) {
      const int64_t sum = sum_of_a + summands[static_cast<size_t>(i)];
      while (q < range.highest && sum >= least[static_cast<size_t>(q - range.lowest)]) ++q;
      const int64_t above = steps_of_a + int64_t{operand_b(i)} * result.b - q * kStep;
      if (q > range.lowest) most = std::min(most, above + kStep - (q <= 0 ? result.moved : 0));
      if (q < range.highest) too_low = std::max(too_low, above - (q < 0 ? result.moved : 0));
    }
  }
  if (most <= too_low) return std::nullopt;
  result.half_step = static_cast<int32_t>(std::clamp((most + too_low + 1) / 2, int64_t{0}, kStep));
  return result;
}

}  // namespace

std::optional<NearestSum> nearest_sum(const Graph& graph, const Node& node) {
  const Value& out = graph.value(node.outputs[0]);
  return nearest_sum(graph.value(node.inputs[0]), graph.value(node.inputs[1]), out, node.op == OpType::kSub ? -1 : 1,
                     quantum_range(out, node.activation));
}

std::optional<NearestSum> nearest_residual(const Graph& graph, const Node& node) {
  return nearest_sum(*node.summand, graph.value(residual_of(node)), graph.value(node.outputs[0]), 1,
                     result_range(graph, node));
}

std::optional<SumShifts> sum_shifts(const Graph& graph, const Node& node) {
  const auto* attr = std::get_if<SumAttr>(&node.attributes);
  if (attr == nullptr || !attr->by_shifts) return std::nullopt;
  std::vector<int> exponents;
  for (const ValueId id : {node.outputs[0], node.inputs[0], node.inputs[1]}) {
    const Value& value = graph.value(id);
    if (value.type != DataType::kInt16 || !is_quantized(value) || zero_point(value) != 0) return std::nullopt;
    const std::optional<int> exponent = exponent_of(scale_of(value));
    if (!exponent) return std::nullopt;
    exponents.push_back(*exponent);
  }
  const SumShifts shifts{exponents[0] - exponents[1], exponents[0] - exponents[2]};
  if (std::min(shifts.a, shifts.b) != 0) return std::nullopt;
  return shifts;
}

int32_t shifted_operand(int32_t x, int right) {
  constexpr int kMost = 15;
  if (right > kMost) return x < 0 ? -1 : 1;
  return static_cast<int32_t>(divide_by_power_of_two(x, right, Ties::kAwayFromZero));
}

SumFactors squared_difference_factors(const Graph& graph, const Node& node) {
  constexpr int kHeadroom = 7;  // the square of a sum of two 8-bit operands stays within 32 bits
  const double a = scale_of(graph.value(node.inputs[0])), b = scale_of(graph.value(node.inputs[1]));
  const double twice = 2 * std::max(a, b);
  return {kHeadroom, to_fixed_point(a / twice), to_fixed_point(b / twice),
          to_fixed_point(twice * twice / (double(1 << 2 * kHeadroom) * scale_of(graph.value(node.outputs[0]))))};
}

std::optional<SumFactors> comparison_factors(const Graph& graph, const Node& node) {
  constexpr int kHeadroom = 8;  // the numbers are in 256ths: smaller differences do not count
  const Value &a = graph.value(node.inputs[0]), &b = graph.value(node.inputs[1]);
  if (!is_quantized(a) || !is_quantized(b) || scale_of(a) >= 1 || scale_of(b) >= 1) return std::nullopt;
  const bool wide = a.type == DataType::kInt16 || b.type == DataType::kInt16;
  if (wide && node.op != OpType::kEqual && node.op != OpType::kNotEqual) return std::nullopt;
  return SumFactors{kHeadroom, to_fixed_point(double{scale_of(a)}), to_fixed_point(double{scale_of(b)}), {}};
}

bool normalizes_integers(const Graph& graph, const Node& node) {
  constexpr int32_t kMostSquares = 32768;  // the sum of more may not fit into 32 bits
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  if (in.type != out.type || in.type == DataType::kInt16 || !is_quantized(in) || !is_quantized(out)) return false;
  return node.activation == Activation::kNone && scale_of(out) == 1.0f / 128 &&
         zero_point(out) == (out.type == DataType::kUInt8 ? 128 : 0) &&
         in.shape.dim(in.shape.rank() - 1) <= kMostSquares;
}

ResizeMapping resize_mapping(int32_t from, int32_t to, const ResizeAttr& attr) {
  constexpr int32_t kOne = 1 << 10;
  const bool corners = attr.align_corners && to > 1;
  const int64_t numerator = corners ? from - 1 : from, denominator = corners ? to - 1 : to;
  const auto scale = static_cast<int32_t>((kOne * numerator + denominator / 2) / denominator);
  return {scale, attr.half_pixel_centers ? scale / 2 - kOne / 2 : 0};
}

std::vector<ResizeTap> resize_taps(int32_t from, int32_t to, const ResizeAttr& attr) {
  const float scale = attr.scale(from, to);
  std::vector<ResizeTap> taps;
  for (int32_t i = 0; i < to; ++i) {
    const auto position = static_cast<float>(i);
    const float coordinate = attr.half_pixel_centers ? (position + 0.5f) * scale - 0.5f : position * scale;
    const int32_t low = std::max(static_cast<int32_t>(std::floor(coordinate)), 0);
    const int32_t high = std::min(static_cast<int32_t>(std::ceil(coordinate)), from - 1);
    taps.push_back({low, high, coordinate - static_cast<float>(low)});
  }
  return taps;
}

namespace {

bool resizes(const Graph& graph, const Node& node, DataType type) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  return in.type == type && is_quantized(in) && is_quantized(out) && node.activation == Activation::kNone &&
         in.quantization.scale == out.quantization.scale && zero_point(in) == zero_point(out);
}

}  // namespace

bool resizes_integers(const Graph& graph, const Node& node) {
  return resizes(graph, node, DataType::kInt8) || resizes(graph, node, DataType::kInt16);
}
bool resizes_bytes(const Graph& graph, const Node& node) { return resizes(graph, node, DataType::kUInt8); }

FixedPoint product_factor(const Graph& graph, const Node& node) {
  const float a = scale_of(graph.value(node.inputs[0])), b = scale_of(graph.value(node.inputs[1]));
  return to_fixed_point(a * b / scale_of(graph.value(node.outputs[0])));  // in 32 bits, as in TensorFlow Lite
}

FixedPoint quotient_factor(const Graph& graph, const Node& node) {
  const float a = scale_of(graph.value(node.inputs[0])), b = scale_of(graph.value(node.inputs[1]));
  return to_fixed_point(double{a / (b * scale_of(graph.value(node.outputs[0])))});
}

FixedPoint rescale_factor(const Value& from, const Value& to) {
  return to_fixed_point(double{scale_of(from)} / double{scale_of(to)});
}

bool has_integer_prelu(const Graph& graph, const Node& node) {
  return is_quantized(graph.value(node.inputs[0])) && is_quantized(graph.value(node.inputs[1])) &&
         is_quantized(graph.value(node.outputs[0])) && graph.value(node.inputs[1]).type != DataType::kInt16;
}

FixedPoint prelu_factor(const Value& from, const Value& to) { return to_fixed_point(scale_of(from) / scale_of(to)); }

namespace {

// The factor for multiply_wide(), if its power of two is within the bounds of TensorFlow Lite.
std::optional<FixedPoint> wide_factor(double real) {
  constexpr int kMostShift = 7;
  const FixedPoint factor = narrowed(to_fixed_point(real));
  return factor.shift <= kMostShift ? std::optional(factor) : std::nullopt;
}

bool is_quantized_to(DataType type, const Value& value) { return value.type == type && is_quantized(value); }

}  // namespace

std::optional<FixedPoint> wide_matmul_factor(const Graph& graph, const Node& node) {
  const Value &a = graph.value(node.inputs[0]), &b = graph.value(node.inputs[1]), &out = graph.value(node.outputs[0]);
  for (const Value* value : {&a, &b, &out}) {
    if (!is_quantized_to(DataType::kInt16, *value) || zero_point(*value) != 0) return std::nullopt;
  }
  if (node.activation != Activation::kNone) return std::nullopt;
  return wide_factor(double{scale_of(a) * scale_of(b)} / double{scale_of(out)});
}

std::optional<FixedPoint> wide_product_factor(const Graph& graph, const Node& node) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  if (node.op != OpType::kReduceProd || node.activation != Activation::kNone) return std::nullopt;
  if (in.type == DataType::kUInt8 || !is_quantized_to(in.type, in) || !is_quantized_to(in.type, out)) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(in.shape.elements() / out.shape.elements());
  return wide_factor(double{scale_of(in)} / std::pow(double{scale_of(out)}, 1 / count));
}

namespace {

// Divides the multiplier by `count`, with as many bits as it has.
FixedPoint divided(FixedPoint factor, int64_t count) {
  const int bits = std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(count))) - 1, 31 + factor.shift);
  factor.multiplier = static_cast<int32_t>((int64_t{factor.multiplier} << bits) / count);
  factor.shift -= bits;
  return factor;
}

}  // namespace

// Over the rows and columns of an 8-bit image that keeps its rank, the count is part of the factor, and the zero point
// of the input is subtracted last, all in 32 bits. Otherwise the count divides the multiplier. Both as in the kernels
// of TensorFlow Lite.
MeanFactors mean_factors(const Graph& graph, const Node& node) {
  const Value &from = graph.value(node.inputs[kDataInput]), &to = graph.value(node.outputs[0]);
  const auto count = static_cast<int32_t>(from.shape.elements() / to.shape.elements());
  const auto& attr = std::get<ReduceAttr>(node.attributes);
  const bool picture = attr.keep_dims && from.shape.rank() == 4 && attr.axes == std::vector<int32_t>{1, 2};
  if (from.type == DataType::kInt16 || !picture) return {0, divided(rescale_factor(from, to), count), 0};
  const int32_t zero = zero_point(from);
  const float factor = scale_of(from) / (static_cast<float>(count) * scale_of(to));
  const float quanta_of_zero = static_cast<float>(zero) * scale_of(from) / scale_of(to);
  return {saturated(static_cast<double>(count) * zero), to_fixed_point(double{factor}),
          saturated(-std::round(double{quanta_of_zero}))};
}

QuantumRange quantum_range(const Value& value, Activation activation) {
  const int32_t zero = zero_point(value);
  QuantumRange range = value.type == DataType::kInt8    ? whole_range<int8_t>(zero)
                       : value.type == DataType::kUInt8 ? whole_range<uint8_t>(zero)
                                                        : whole_range<int16_t>(zero);
  const auto steps = [&](float real) { return saturated(std::round(double{real / value.quantization.scale[0]})); };
  if (activation == Activation::kRelu || activation == Activation::kRelu6) range.lowest = std::max(range.lowest, 0);
  if (activation == Activation::kRelu6) range.highest = std::min(range.highest, steps(6));
  if (activation == Activation::kReluN1To1) {
    range.lowest = std::max(range.lowest, steps(-1));
    range.highest = std::min(range.highest, steps(1));
  }
  return range;
}

namespace {

// Multiplies the scales in 32 bits if all channels of a uint8 operator or a fully connected layer share one, like the
// reference kernels of TensorFlow Lite: the last bit of a factor matters.
FixedPoint output_factor(const Graph& graph, const Node& node, size_t channel) {
  const std::vector<float>& weights = graph.value(node.inputs[kWeightsInput]).quantization.scale;
  const float weight = weights[weights.size() == 1 ? 0 : channel % weights.size()];
  const Value& data = graph.value(node.inputs[kDataInput]);
  const bool narrow = weights.size() == 1 && (node.op == OpType::kFullyConnected || data.type == DataType::kUInt8);
  const double product = narrow ? double{scale_of(data) * weight} : double{scale_of(data)} * double{weight};
  const double factor = product / double{scale_of(rounded_sums(graph, node))};
  const bool wide = data.type != DataType::kInt16 || node.op == OpType::kFullyConnected;
  return wide ? to_fixed_point(factor) : narrowed(to_fixed_point(factor));
}

// Signed matrix products and sums of 16-bit data are rounded once, all other results twice.
Rounding rounding_of(const Graph& graph, const Node& node) {
  const DataType type = rounded_sums(graph, node).type;
  const bool matrix = node.op == OpType::kConv2d || node.op == OpType::kFullyConnected;
  return type == DataType::kInt16 || (type == DataType::kInt8 && matrix) ? Rounding::kOnce : Rounding::kTwice;
}

}  // namespace

QuantumRange result_range(const Graph& graph, const Node& node) {
  const bool done = residual_of(node) != kNone ? node.residual_last : !node.table.empty();
  return quantum_range(graph.value(node.outputs[0]), done ? Activation::kNone : node.activation);
}

Requantization requantization(const Graph& graph, const Node& node, int32_t channels) {
  const bool last = residual_of(node) != kNone && !node.residual_last;
  Requantization result{{},
                        rounding_of(graph, node),
                        quantum_range(rounded_sums(graph, node), last ? Activation::kNone : node.activation)};
  for (int32_t c = 0; c < channels; ++c) {
    result.factors.push_back(output_factor(graph, node, static_cast<size_t>(c)));
  }
  return result;
}

std::vector<double> most_sums(const Graph& graph, const Node& node, int32_t channels) {
  const auto steps_of = [&](size_t input) {
    const Value& value = graph.value(node.inputs[input]);
    return steps_from_zero(value, value.constant->type, value.constant->bytes);
  };
  const QuantumRange data = quantum_range(graph.value(node.inputs[kDataInput]), Activation::kNone);
  const std::vector<float> weights = steps_of(kWeightsInput);
  const auto count = static_cast<size_t>(channels), per_channel = weights.size() / count;
  const bool channels_last = node.op == OpType::kDepthwiseConv2d;
  std::vector<double> lowest(count), highest(count);
  if (node.inputs.size() > kBiasInput && node.inputs[kBiasInput] != kNone) {
    std::ranges::copy(steps_of(kBiasInput), lowest.begin());
    highest = lowest;
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const size_t channel = channels_last ? i % count : i / per_channel;
    const double a = double{weights[i]} * data.lowest, b = double{weights[i]} * data.highest;
    lowest[channel] += std::min(a, b);
    highest[channel] += std::max(a, b);
  }
  for (size_t c = 0; c < count; ++c) highest[c] = std::max(-lowest[c], highest[c]);
  return highest;
}

void store_quanta(const Value& value, const QuantumRange& range, std::span<const int32_t> steps,
                  std::span<std::byte> bytes) {
  const int32_t zero = zero_point(value);
  const size_t size = size_of(value.type);
  for (size_t i = 0; i < steps.size(); ++i) {
    const int32_t q = std::clamp(steps[i], range.lowest, range.highest) + zero;
    std::memcpy(bytes.data() + i * size, &q, size);  // little-endian: the low bytes are the narrower integer
  }
}

}  // namespace sightglass

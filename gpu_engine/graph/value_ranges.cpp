#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "graph/analyses.h"
#include "graph/op.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "sightglass/tensor.h"

namespace sightglass::interval {

// Interval arithmetic on ranges of values: the results of an operation on all numbers of its operands' ranges lie in
// the range that it returns. Exact numbers: rounding in a kernel may leave the range by its last bits.

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline ValueRange hull(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
inline ValueRange clamp(const ValueRange& a, double low, double high) {
  return {std::clamp(a.low, low, high), std::clamp(a.high, low, high)};
}
inline bool contains(const ValueRange& a, double x) { return a.low <= x && x <= a.high; }

ValueRange divide(const ValueRange& a, const ValueRange& b);  // unbounded if `b` contains 0
ValueRange square(const ValueRange& a);

// For a function that only grows.
template <typename F>
ValueRange increasing(const ValueRange& a, F f) {
  return {f(a.low), f(a.high)};
}
// For a function that falls to `lowest` at `at`, and grows from there.
template <typename F>
ValueRange valley(const ValueRange& a, double at, double lowest, F f) {
  const double ends[] = {f(a.low), f(a.high)};
  return {contains(a, at) ? lowest : std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

namespace {

// 0 * infinity is 0 here: infinity stands for numbers of any size, and 0 times such a number is 0.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

ValueRange span_of(std::initializer_list<double> numbers) { return {std::min(numbers), std::max(numbers)}; }

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// x * f(x) for an f that tends to 0 at minus infinity faster than 1 / x, and to 1 at infinity.
template <typename F>
double gated(double x, F f) {
  if (x == -kInfinity) return 0;
  return x == kInfinity ? x : x * f(x);
}

}  // namespace

ValueRange add(const ValueRange& a, const ValueRange& b) { return {a.low + b.low, a.high + b.high}; }
ValueRange subtract(const ValueRange& a, const ValueRange& b) { return {a.low - b.high, a.high - b.low}; }

ValueRange multiply(const ValueRange& a, const ValueRange& b) {
  return span_of({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
}

ValueRange divide(const ValueRange& a, const ValueRange& b) {
  if (contains(b, 0)) return {};
  return multiply(a, {1 / b.high, 1 / b.low});
}

ValueRange square(const ValueRange& a) {
  return valley(a, 0, 0, [](double x) { return x * x; });
}

ValueRange hard_swish(const ValueRange& a) {
  return valley(a, -1.5, -0.375,
                [](double x) { return gated(x, [](double v) { return std::clamp(v + 3, 0.0, 6.0) / 6; }); });
}

ValueRange gelu(const ValueRange& a) {
  // The minimum of both forms is a bit above -0.1701.
  const auto f = [](double x) { return gated(x, [](double v) { return (1 + std::erf(v / std::sqrt(2.0))) / 2; }); };
  const ValueRange ends = {std::min(f(a.low), f(a.high)), std::max(f(a.low), f(a.high))};
  constexpr double kFormsDiffer = 5e-4;  // that with tanh and that with the error function
  const bool dips = a.low < 0 && a.high > -1;
  return {(dips ? -0.1701 : ends.low) - kFormsDiffer, ends.high + kFormsDiffer};
}

// Of a fused activation; PRELU without its slopes.
ValueRange activate(Activation activation, const ValueRange& a) {
  switch (activation) {
    case Activation::kNone:
      return a;
    case Activation::kRelu:
      return clamp(a, 0, kInfinity);
    case Activation::kRelu6:
      return clamp(a, 0, 6);
    case Activation::kReluN1To1:
      return clamp(a, -1, 1);
    case Activation::kTanh:
      return increasing(a, [](double x) { return std::tanh(x); });
    case Activation::kLogistic:
      return increasing(a, logistic);
    case Activation::kHardSwish:
      return hard_swish(a);
    case Activation::kHardSigmoid:
      return increasing(a, [](double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; });
    case Activation::kSwish:
      return valley(a, -1.27846, -0.27847, [](double x) { return gated(x, logistic); });
    case Activation::kPrelu:
      return a.low >= 0 ? a : ValueRange{};
  }
  return {};
}

// All numbers of an integer type; unbounded for floats.
ValueRange of_type(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return {INT8_MIN, INT8_MAX};
    case DataType::kUInt8:
      return {0, UINT8_MAX};
    case DataType::kInt16:
      return {INT16_MIN, INT16_MAX};
    case DataType::kInt32:
      return {INT32_MIN, INT32_MAX};
    case DataType::kBool:
      return {0, 1};
    default:
      return {};
  }
}

}  // namespace sightglass::interval

namespace sightglass {

namespace {

using interval::hull;
using interval::kInfinity;

// What the type of a value can hold, as real numbers.
ValueRange range_of_type(const Value& value) {
  ValueRange all = interval::of_type(value.type);
  if (is_quantized(value)) {
    const double scale = scale_of(value), zero = zero_point(value);
    all = {scale * (all.low - zero), scale * (all.high - zero)};
  }
  return all;
}

ValueRange intersect(const ValueRange& a, const ValueRange& b) {
  return {std::clamp(a.low, b.low, b.high), std::clamp(a.high, b.low, b.high)};
}

// Numbers below 0 times a slope.
ValueRange leaky(const ValueRange& a, const ValueRange& slope) {
  if (a.low >= 0) return a;
  const ValueRange below = interval::multiply({a.low, std::min(a.high, 0.0)}, slope);
  return a.high <= 0 ? below : hull(below, {0, a.high});
}

ValueRange range_of_constant(const Value& value) {
  const std::vector<float> numbers = real_numbers(value, value.constant->type, value.constant->bytes);
  if (numbers.empty()) return {};
  ValueRange range{kInfinity, -kInfinity};
  for (const float number : numbers) {
    if (std::isnan(number)) return {};
    range = hull(range, {number, number});
  }
  return range;
}

class Ranges {
 public:
  Ranges(const Graph& graph, std::span<const ValueRange> inputs) : graph_(graph) {
    ranges_.resize(graph.value_count());
    for (ValueId id = 0; id < static_cast<ValueId>(graph.value_count()); ++id) {
      if (graph.value(id).producer == kNone) of(id) = range_of_type(graph.value(id));
    }
    for (size_t i = 0; i < std::min(inputs.size(), graph.inputs.size()); ++i) {
      of(graph.inputs[i]) = intersect(inputs[i], of(graph.inputs[i]));
    }
    for (const NodeId id : graph.order()) follow(graph.node(id));
  }
  std::vector<ValueRange> take() { return std::move(ranges_); }

 private:
  ValueRange& of(ValueId id) { return ranges_[static_cast<size_t>(id)]; }

  // The range of an operand. Constants are read here: most are weights, which no operator asks for.
  ValueRange operand(const Node& node, size_t index) {
    const ValueId id = node.inputs[index];
    if (id == kNone) return {};
    const Value& value = graph_.value(id);
    return value.constant ? range_of_constant(value) : of(id);
  }
  ValueRange hull_of(const Node& node, size_t from) {
    ValueRange all = operand(node, from);
    for (size_t i = from + 1; i < node.inputs.size(); ++i) all = hull(all, operand(node, i));
    return all;
  }
  const Value& input(const Node& node) const { return graph_.value(node.inputs[0]); }

  void follow(const Node& node) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const Value& out = graph_.value(node.outputs[i]);
      const ValueRange type = range_of_type(out);
      ValueRange range = output(node, i);
      if (i == 0 && !node.rounded) range = interval::activate(node.activation, range);
      if (node.residual_last) range = interval::add(range, operand(node, kResidualInput));
      // Quantized results are rounded to a quantum and saturate; integers wrap around.
      const bool is_float = out.type == DataType::kFloat32 || out.type == DataType::kFloat16;
      if (is_quantized(out)) range = interval::add(range, {-scale_of(out), scale_of(out)});
      const bool wraps = !is_quantized(out) && !is_float && (range.low < type.low || range.high > type.high);
      const bool is_known = !wraps && !std::isnan(range.low) && !std::isnan(range.high);
      of(node.outputs[i]) = is_known ? intersect(range, type) : type;
    }
  }

  ValueRange output(const Node& node, size_t index);
  ValueRange moved(const Node& node);
  ValueRange computed(const Node& node);
  ValueRange of_two(const Node& node);
  ValueRange cast(const Node& node);
  ValueRange reduced(const Node& node);

  const Graph& graph_;
  std::vector<ValueRange> ranges_;
};

// Elements of the inputs in other places. Kernels copy stored integers if the quantization changes.
ValueRange Ranges::moved(const Node& node) {
  const Value &in = input(node), &out = graph_.value(node.outputs[0]);
  const bool same =
      !is_quantized(out) || (is_quantized(in) && scale_of(in) == scale_of(out) && zero_point(in) == zero_point(out));
  return same ? operand(node, 0) : ValueRange{};
}

ValueRange Ranges::of_two(const Node& node) {
  const ValueRange a = operand(node, 0), b = operand(node, 1);
  switch (node.op) {
    case OpType::kAdd:
      return interval::add(a, b);
    case OpType::kSub:
      return interval::subtract(a, b);
    case OpType::kMul:
      return interval::multiply(a, b);
    case OpType::kDiv: {
      const ValueRange quotient = interval::divide(a, b);
      const DataType type = graph_.value(node.outputs[0]).type;
      const bool is_integer = type == DataType::kInt32 || type == DataType::kInt64;
      return is_integer ? interval::increasing(quotient, [](double x) { return std::trunc(x); }) : quotient;
    }
    case OpType::kFloorDiv:
      return interval::increasing(interval::divide(a, b), [](double x) { return std::floor(x); });
    case OpType::kFloorMod:  // has the sign of the divisor
      return {std::min(b.low, 0.0), std::max(b.high, 0.0)};
    case OpType::kMaximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case OpType::kMinimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case OpType::kSquaredDifference:
      return interval::square(interval::subtract(a, b));
    case OpType::kPow:
      return a.low >= 0 ? ValueRange{0, a.high <= 1 && b.low >= 0 ? 1 : kInfinity} : ValueRange{};
    case OpType::kAtan2:
      return {-std::numbers::pi, std::numbers::pi};
    case OpType::kPrelu:
      return leaky(a, b);
    default:
      return {};
  }
}

// Stored integers of a quantized value are converted as they are.
ValueRange Ranges::cast(const Node& node) {
  const Value &in = input(node), &out = graph_.value(node.outputs[0]);
  if (is_quantized(out)) return {};
  const ValueRange from = is_quantized(in) ? interval::of_type(in.type) : operand(node, 0),
                   type = interval::of_type(out.type);
  if (out.type == DataType::kBool) return type;
  // Integers that the type does not hold wrap around.
  if (from.low < type.low || from.high > type.high) return type;
  if (out.type == DataType::kFloat32 || out.type == DataType::kFloat16) return from;
  return interval::increasing(from, [](double x) { return std::trunc(x); });
}

ValueRange Ranges::reduced(const Node& node) {
  const ValueRange a = operand(node, 0);
  const double elements = static_cast<double>(input(node).shape.elements()) /
                          static_cast<double>(std::max<int64_t>(graph_.value(node.outputs[0]).shape.elements(), 1));
  switch (node.op) {
    case OpType::kMean:
      return addend_of(node) == kNone ? a : interval::add(a, operand(node, kMeanAddend));
    case OpType::kReduceMax:
    case OpType::kReduceMin:
      return a;
    case OpType::kSum:
      return interval::multiply(a, {elements, elements});
    default:
      return {};
  }
}

// Functions of one operand.
ValueRange Ranges::computed(const Node& node) {
  const ValueRange a = operand(node, 0);
  const Activation own = activation_of(node.op);
  if (own != Activation::kNone) return interval::activate(own, a);
  switch (node.op) {
    case OpType::kExp:
      return interval::increasing(a, [](double x) { return std::exp(x); });
    case OpType::kRsqrt:
      return a.low >= 0 ? ValueRange{1 / std::sqrt(a.high), 1 / std::sqrt(a.low)} : ValueRange{0, kInfinity};
    case OpType::kSqrt:
      return interval::increasing(interval::clamp(a, 0, kInfinity), [](double x) { return std::sqrt(x); });
    case OpType::kSquare:
      return interval::square(a);
    case OpType::kNeg:
      // Stored integers are negated as they are, whatever the scales.
      return is_quantized(graph_.value(node.outputs[0])) ? ValueRange{} : ValueRange{-a.high, -a.low};
    case OpType::kAbs:
      return interval::valley(a, 0, 0, [](double x) { return std::abs(x); });
    case OpType::kLog:
      return interval::increasing(interval::clamp(a, 0, kInfinity), [](double x) { return std::log(x); });
    case OpType::kFloor:
      return interval::increasing(a, [](double x) { return std::floor(x); });
    case OpType::kCeil:
      return interval::increasing(a, [](double x) { return std::ceil(x); });
    case OpType::kRound:
      return interval::increasing(a, [](double x) { return std::nearbyint(x); });
    case OpType::kSign:
      return interval::increasing(a, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; });
    case OpType::kSin:
    case OpType::kCos:
    case OpType::kL2Normalization:
      return {-1, 1};
    case OpType::kElu:
      return interval::increasing(a, [](double x) { return x < 0 ? std::expm1(x) : x; });
    case OpType::kLeakyRelu: {
      const double alpha = std::get<LeakyReluAttr>(node.attributes).alpha;
      return leaky(a, {alpha, alpha});
    }
    case OpType::kGelu:
      return interval::gelu(a);
    case OpType::kRelu0To1:
      return interval::clamp(a, 0, 1);
    case OpType::kZerosLike:
      return {0, 0};
    case OpType::kSoftmax:
      return {0, 1};
    case OpType::kLogSoftmax:
      return {-kInfinity, 0};
    default:
      return {};
  }
}

ValueRange Ranges::output(const Node& node, size_t index) {
  if (moves_as_is(node.op)) {
    if (node.op == OpType::kSpaceToBatch) return hull(moved(node), {0, 0});
    if (node.op == OpType::kPack) return is_quantized(graph_.value(node.outputs[0])) ? ValueRange{} : hull_of(node, 0);
    return moved(node);
  }
  if (operators::has(node.op, operators::kKeepsRange)) return moved(node);
  if (operators::has(node.op, operators::kRanks)) {
    const Shape& shape = input(node).shape;
    return index == 0 ? operand(node, 0) : ValueRange{0, static_cast<double>(shape.dim(shape.rank() - 1)) - 1};
  }
  switch (node.op) {
    case OpType::kMaxPoolWithArgmax:
      return index == 0 ? operand(node, 0) : ValueRange{};
    case OpType::kMaxUnpool:
    case OpType::kTransformImage:
      return hull(operand(node, 0), {0, 0});
    case OpType::kPad: {
      const double value = std::get<PadAttr>(node.attributes).value;
      return is_quantized(graph_.value(node.outputs[0])) ? ValueRange{} : hull(operand(node, 0), {value, value});
    }
    case OpType::kQuantize:
    case OpType::kDequantize:
      return operand(node, 0);
    case OpType::kCast:
      return cast(node);
    case OpType::kConcat:
      return hull_of(node, 0);
    case OpType::kSelect:
      return hull_of(node, 1);
    case OpType::kAddN: {
      ValueRange sum{0, 0};
      for (size_t i = 0; i < node.inputs.size(); ++i) sum = interval::add(sum, operand(node, i));
      return sum;
    }
    case OpType::kArgMax:
    case OpType::kArgMin:
      return {0, static_cast<double>(input(node).shape.dim(std::get<ArgAttr>(node.attributes).axis)) - 1};
    default:
      break;
  }
  if (operators::has(node.op, operators::kReduces)) return reduced(node);
  if (operators::has(node.op, operators::kBinary)) return of_two(node);
  if (operators::has(node.op, operators::kUnary) || node.op == OpType::kSoftmax || node.op == OpType::kLogSoftmax ||
      node.op == OpType::kL2Normalization) {
    return computed(node);
  }
  return {};  // the type of the output limits it: comparisons and logic
}

}  // namespace

std::vector<ValueRange> value_ranges(const Graph& graph, std::span<const ValueRange> inputs) {
  return Ranges(graph, inputs).take();
}

bool holds_indices(const Graph& graph, ValueId id) {
  while (graph.value(id).producer != kNone) {
    const Node& node = graph.node(graph.value(id).producer);
    if (node.op == OpType::kArgMax || node.op == OpType::kArgMin) return true;
    const bool keeps = moves_as_is(node.op) || node.op == OpType::kCast || node.op == OpType::kReshape ||
                       node.op == OpType::kStridedSlice;
    if (!keeps || node.activation != Activation::kNone) return false;
    id = node.inputs[0];
  }
  return false;
}

}  // namespace sightglass

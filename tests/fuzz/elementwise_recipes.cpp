// Functions of one and two operands, functions with a domain, comparisons, selections, type conversions, and
// reductions.
#include "fuzz/graph_generator.h"
#include "graph/op_types.h"
#include "graph/quantized.h"

namespace sightglass::test {

namespace {

// A shape that broadcasts to `shape`, usually a smaller one.
Shape broadcastable(GraphGenerator& g, const Shape& shape) {
  if (g.chance(40)) return shape;
  const int dropped = g.chance(40) ? g.random.pick(0, shape.rank()) : 0;
  std::vector<int32_t> dims(shape.dims().begin() + dropped, shape.dims().end());
  for (int32_t& d : dims) {
    if (g.chance(40)) d = 1;
  }
  return Shape(dims);
}

// Both operands have one type. The first one may be the smaller one.
std::vector<ValueId> operands(GraphGenerator& g, ValueId a) {
  const ValueId b = g.beside(a, broadcastable(g, g.shape(a)));
  return g.chance(30) ? std::vector<ValueId>{b, a} : std::vector<ValueId>{a, b};
}

std::optional<Quantized> result_of(GraphGenerator& g, ValueId data) {
  if (g.is_float(data)) return std::nullopt;
  return g.chance(40) ? g.quantization_of(data) : g.random_quantization(g.value(data).type);
}

void binary(GraphGenerator& g, OpType op) {
  const ValueId data = g.real();
  const std::optional<Quantized> result = result_of(g, data);
  const bool is_float = g.is_float(data);
  const bool picks = op == OpType::kMaximum || op == OpType::kMinimum;
  const Activation activation = op == OpType::kPrelu || picks ? Activation::kNone : g.activation(data);
  const bool exact = is_float ? picks : op != OpType::kPrelu && !picks;
  g.add(op, {}, operands(g, data), exact, activation, result ? &*result : nullptr);
}

void unary(GraphGenerator& g, OpType op) {
  const ValueId data = g.real();
  const std::optional<Quantized> result = result_of(g, data);
  const bool clamps = op == OpType::kRelu || op == OpType::kRelu6 || op == OpType::kReluN1To1;
  g.add(op, {}, {data}, clamps && g.is_float(data), Activation::kNone, result ? &*result : nullptr);
}

void softmax(GraphGenerator& g, OpType op) {
  const ValueId data = g.real(g.random.pick(1, 4));
  const Quantized probability{g.value(data).type, {1.0f / 256}, g.value(data).type == DataType::kInt8 ? -128 : 0};
  g.add(op, SoftmaxAttr{g.random.of({1.0f, 0.5f, 2.0f})}, {data}, false, Activation::kNone,
        g.is_float(data) ? nullptr : &probability);
}

// A quotient of real numbers near one half may round either way: shaders divide in 32 bits, and the reference in 64,
// like TensorFlow Lite.
void quantize(GraphGenerator& g, OpType op) {
  const ValueId data = g.real();
  const DataType type = g.chance(10) ? DataType::kInt16 : g.chance(50) ? DataType::kInt8 : DataType::kUInt8;
  const Quantized result = g.random_quantization(type);
  g.add(op, {}, {data}, !g.is_float(data), Activation::kNone, &result);
}

void dequantize(GraphGenerator& g, OpType op) {
  const DataType type = g.random.of({DataType::kInt8, DataType::kUInt8, DataType::kInt16});
  const ValueId data = g.real();
  if (!g.is_float(data)) {
    g.add(op, {}, {data}, false);
    return;
  }
  const Quantized between = g.random_quantization(type);
  g.add(op, {}, {g.add(OpType::kQuantize, {}, {data}, false, Activation::kNone, &between)}, false);
}

void float_function(GraphGenerator& g, OpType op) {
  Attributes attributes;
  if (op == OpType::kLeakyRelu) attributes = LeakyReluAttr{0.2f};
  if (op == OpType::kGelu) attributes = GeluAttr{g.chance(50)};
  g.add(op, attributes, {g.floats()}, op == OpType::kNeg || op == OpType::kAbs);
}

// Functions with discontinuous results.
void step(GraphGenerator& g, OpType op) { g.add(op, {}, {g.exact_floats()}, true); }

void float_binary(GraphGenerator& g, OpType op) { g.add(op, {}, operands(g, g.floats()), false); }

void broadcast_to(GraphGenerator& g, OpType op) {
  const ValueId data = g.floats();
  std::vector<int32_t> dims(g.shape(data).dims().begin(), g.shape(data).dims().end());
  for (int32_t& d : dims) {
    if (d == 1) d = g.random.pick(1, 5);
  }
  if (dims.size() < 4) dims.insert(dims.begin(), g.random.pick(1, 4));
  g.add(op, BroadcastToAttr{Shape(dims)}, {data}, true);
}

constexpr Recipe kElementwiseRecipes[] = {
    {OpType::kAdd, binary},
    {OpType::kSub, binary},
    {OpType::kMul, binary},
    {OpType::kMaximum, binary},
    {OpType::kMinimum, binary},
    {OpType::kPrelu, binary},
    {OpType::kRelu, unary},
    {OpType::kRelu6, unary},
    {OpType::kReluN1To1, unary},
    {OpType::kLogistic, unary},
    {OpType::kTanh, unary},
    {OpType::kHardSwish, unary},
    {OpType::kExp, unary},
    {OpType::kSoftmax, softmax},
    {OpType::kQuantize, quantize},
    {OpType::kDequantize, dequantize},
    {OpType::kNeg, float_function},
    {OpType::kAbs, float_function},
    {OpType::kSquare, float_function},
    {OpType::kSin, float_function},
    {OpType::kCos, float_function},
    {OpType::kElu, float_function},
    {OpType::kLeakyRelu, float_function},
    {OpType::kGelu, float_function},
    {OpType::kRelu0To1, float_function},
    {OpType::kFloor, step},
    {OpType::kCeil, step},
    {OpType::kRound, step},
    {OpType::kSign, step},
    {OpType::kSquaredDifference, float_binary},
    {OpType::kBroadcastTo, broadcast_to},
};

}  // namespace

std::span<const Recipe> elementwise_recipes() { return kElementwiseRecipes; }

namespace {

Shape some_ones(GraphGenerator& g, const Shape& shape) {
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  for (int32_t& d : dims) {
    if (g.chance(30)) d = 1;
  }
  return Shape(dims);
}

// Away from zero, where the functions have poles.
ValueId positive(GraphGenerator& g, ValueId data) {
  const ValueId magnitude = g.add(OpType::kAbs, {}, {data}, true);
  const ValueId least = g.builder().constant({1}, Fill::kDivisor);
  return g.add(OpType::kMaximum, {}, {magnitude, least}, true);
}

void of_positive(GraphGenerator& g, OpType op) { g.add(op, {}, {positive(g, g.floats())}, false); }

void divide(GraphGenerator& g, OpType op) {
  const ValueId data = g.floats();
  const ValueId divisor = positive(g, g.beside(data, some_ones(g, g.shape(data))));
  g.add(op, {}, {data, divisor}, false);
}

void power(GraphGenerator& g, OpType op) {
  const ValueId exponent = g.builder().constant({1}, Fill::kUniform);
  g.add(op, {}, {positive(g, g.floats()), exponent}, false);
}

// The quotient is rounded, so data that is flushed to zero, or whose remainder is lost, would make the test
// meaningless.
void floor_divide(GraphGenerator& g, OpType op) {
  const Shape shape = g.random_shape(-1);
  const ValueId data = g.builder().input(shape, Fill::kWide);
  g.add(op, {}, {data, g.builder().constant(some_ones(g, shape), Fill::kDivisor)}, false);
}

// The angle jumps by a full turn: avoids values that are flushed to zero, and negative zeros.
void angle(GraphGenerator& g, OpType op) {
  const Shape shape = g.random_shape(-1);
  const auto fill = [&g] { return g.random.of({Fill::kWide, Fill::kWide, Fill::kRamp, Fill::kOneHot, Fill::kZero}); };
  const ValueId y = g.builder().input(shape, fill());
  g.add(op, {}, {y, g.builder().input(some_ones(g, shape), fill())}, false);
}

bool is_narrow(GraphGenerator& g, ValueId id) {
  const Value& value = g.value(id);
  return size_of(value.type) < 4 && value.type != DataType::kBool && !is_quantized(value);
}

void compare(GraphGenerator& g, OpType op) {
  ValueId data = g.exact();
  const bool equality = op == OpType::kEqual || op == OpType::kNotEqual;
  if (is_narrow(g, data) || (!equality && g.value(data).type == DataType::kBool)) data = g.exact_floats();
  g.add_as(op, {}, {data, g.beside(data, some_ones(g, g.shape(data)), true)}, true);
}

void logic(GraphGenerator& g, OpType op) {
  const ValueId data = g.of_type(DataType::kBool);
  std::vector<ValueId> inputs{data};
  if (op != OpType::kLogicalNot) inputs.push_back(g.beside(data, some_ones(g, g.shape(data))));
  g.add_as(op, {}, inputs, true);
}

void select(GraphGenerator& g, OpType op) {
  const ValueId condition = g.of_type(DataType::kBool);
  const Shape shape = g.shape(condition);
  const DataType type = g.random.of({DataType::kFloat32, DataType::kFloat32, DataType::kInt32, DataType::kBool});
  const ValueId like = g.of_type(type, shape.rank());
  const ValueId yes = g.beside(like, shape);
  g.add_as(op, SelectAttr{}, {condition, yes, g.beside(like, some_ones(g, shape))}, true, type);
}

void cast(GraphGenerator& g, OpType op) {
  const ValueId data = g.exact();
  const DataType type = g.random.of({DataType::kFloat32, DataType::kInt32, DataType::kInt64, DataType::kBool});
  g.add_as(op, {}, {data}, type != DataType::kFloat32, type);
}

void add_n(GraphGenerator& g, OpType op) {
  const ValueId first = g.floats();
  std::vector<ValueId> inputs{first};
  for (int more = g.random.pick(0, 4); more > 0; --more) inputs.push_back(g.beside(first, g.shape(first)));
  g.add(op, {}, inputs, inputs.size() == 1);
}

void zeros_like(GraphGenerator& g, OpType op) {
  g.add_as(op, {}, {g.chance(50) ? g.floats() : g.of_type(DataType::kInt32)}, true);
}

ReduceAttr some_axes(GraphGenerator& g, int rank) {
  ReduceAttr attr;
  for (int d = 0; d < rank; ++d) {
    if (g.chance(50)) attr.axes.push_back(d);
  }
  attr.keep_dims = g.chance(50);
  return attr;
}

void reduce(GraphGenerator& g, OpType op) {
  const bool picks = op == OpType::kReduceMax || op == OpType::kReduceMin;
  const ValueId data = picks ? g.real() : g.floats();
  g.add(op, some_axes(g, g.shape(data).rank()), {data}, picks);
}

void reduce_bools(GraphGenerator& g, OpType op) {
  const ValueId data = g.of_type(DataType::kBool);
  g.add_as(op, some_axes(g, g.shape(data).rank()), {data}, true);
}

// The index of an extreme is discontinuous.
void arg_extreme(GraphGenerator& g, OpType op) {
  const ValueId data = g.exact_floats(g.random.pick(1, 4));
  g.add_as(op, ArgAttr{g.random.pick(0, g.shape(data).rank() - 1)}, {data}, true);
}

void normalize(GraphGenerator& g, OpType op) { g.add(op, {}, {g.floats(g.random.pick(1, 4))}, false); }

constexpr Recipe kNumberRecipes[] = {
    {OpType::kSqrt, of_positive},
    {OpType::kRsqrt, of_positive},
    {OpType::kLog, of_positive},
    {OpType::kDiv, divide},
    {OpType::kPow, power},
    {OpType::kFloorDiv, floor_divide},
    {OpType::kFloorMod, floor_divide},
    {OpType::kAtan2, angle},
    {OpType::kEqual, compare},
    {OpType::kNotEqual, compare},
    {OpType::kLess, compare},
    {OpType::kLessEqual, compare},
    {OpType::kGreater, compare},
    {OpType::kGreaterEqual, compare},
    {OpType::kLogicalNot, logic},
    {OpType::kLogicalAnd, logic},
    {OpType::kLogicalOr, logic},
    {OpType::kSelect, select},
    {OpType::kCast, cast},
    {OpType::kAddN, add_n},
    {OpType::kZerosLike, zeros_like},
    {OpType::kSum, reduce},
    {OpType::kReduceMax, reduce},
    {OpType::kReduceMin, reduce},
    {OpType::kReduceProd, reduce},
    {OpType::kReduceAny, reduce_bools},
    {OpType::kReduceAll, reduce_bools},
    {OpType::kArgMax, arg_extreme},
    {OpType::kArgMin, arg_extreme},
    {OpType::kLogSoftmax, normalize},
    {OpType::kL2Normalization, normalize},
};

}  // namespace

std::span<const Recipe> number_recipes() { return kNumberRecipes; }

}  // namespace sightglass::test

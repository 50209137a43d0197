// Functions with a domain, comparisons, selections, type conversions, and reductions.
#include "fuzz/graph_generator.h"
#include "graph/op_types.h"
#include "graph/quantized.h"

namespace sightglass::test {

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

// Functions of one and two operands, and type conversions.
#include "fuzz/graph_generator.h"

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

}  // namespace sightglass::test

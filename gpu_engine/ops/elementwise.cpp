// Elementwise functions of one operand, and of two that broadcast: of floats (elementwise.comp) and of integers
// (integers.comp).
#include <algorithm>
#include <limits>

#include "graph/op_types.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

ShaderKey unary_shader(int32_t code) { return {"elementwise.comp", {{"FUNCTION", std::to_string(code)}}}; }

ShaderKey binary_shader(GpuRepeat repeat, int32_t code) {
  ShaderKey key{"elementwise.comp", {{"FUNCTION", std::to_string(code)}, {"USES_B", "1"}}};
  if (repeat != GpuRepeat::kNot) {
    key.defines.insert(key.defines.begin(), {"BROADCAST", std::to_string(gpu_code(repeat))});
  }
  return key;
}

ShaderKey integer_shader(bool binary) {
  ShaderKey key{"integers.comp", {}};
  if (binary) key.defines.push_back({"USES_B", "1"});
  return key;
}

// One-operand operators and their functions. kNone: function_after() returns the function, or there is none, as for
// QUANTIZE and DEQUANTIZE.
struct Unary {
  OpType op;
  GpuUnary function;
};
constexpr auto kUnary = std::to_array<Unary>({
    {OpType::kQuantize, GpuUnary::kNone},     {OpType::kDequantize, GpuUnary::kNone},
    {OpType::kRelu, GpuUnary::kNone},         {OpType::kRelu6, GpuUnary::kNone},
    {OpType::kReluN1To1, GpuUnary::kNone},    {OpType::kLogistic, GpuUnary::kNone},
    {OpType::kTanh, GpuUnary::kNone},         {OpType::kHardSwish, GpuUnary::kNone},
    {OpType::kExp, GpuUnary::kNone},          {OpType::kLeakyRelu, GpuUnary::kNone},
    {OpType::kRsqrt, GpuUnary::kRsqrt},       {OpType::kSqrt, GpuUnary::kSqrt},
    {OpType::kSquare, GpuUnary::kSquare},     {OpType::kNeg, GpuUnary::kNeg},
    {OpType::kAbs, GpuUnary::kAbs},           {OpType::kLog, GpuUnary::kLog},
    {OpType::kFloor, GpuUnary::kFloor},       {OpType::kCeil, GpuUnary::kCeil},
    {OpType::kRound, GpuUnary::kRound},       {OpType::kSign, GpuUnary::kSign},
    {OpType::kSin, GpuUnary::kSin},           {OpType::kCos, GpuUnary::kCos},
    {OpType::kElu, GpuUnary::kElu},           {OpType::kGelu, GpuUnary::kGelu},  // or kGeluByTanh
    {OpType::kRelu0To1, GpuUnary::kRelu0To1}, {OpType::kLogicalNot, GpuUnary::kLogicalNot},
    {OpType::kZerosLike, GpuUnary::kZero},
});
static_assert(operators::lists_all(kUnary, operators::kUnary));

GpuUnary unary_function(const Node& node) {
  const auto* gelu = std::get_if<GeluAttr>(&node.attributes);
  if (gelu != nullptr && gelu->approximate) return GpuUnary::kGeluByTanh;
  return operators::find_row(kUnary, node.op).function;
}

// Function applied to the result of unary_function().
int32_t function_after(const Node& node) {
  if (node.op == OpType::kExp) return gpu_code(GpuFunction::kExp);
  if (node.op == OpType::kLeakyRelu) return gpu_code(GpuFunction::kPrelu);
  return gpu_code(activation_of(node.op));
}

struct Binary {
  OpType op;
  GpuBinary operation;
};
constexpr auto kBinary = std::to_array<Binary>({
    {OpType::kAdd, GpuBinary::kAdd},
    {OpType::kSub, GpuBinary::kSub},
    {OpType::kMul, GpuBinary::kMul},
    {OpType::kMaximum, GpuBinary::kMaximum},
    {OpType::kMinimum, GpuBinary::kMinimum},
    {OpType::kPrelu, GpuBinary::kPrelu},
    {OpType::kDiv, GpuBinary::kDiv},
    {OpType::kPow, GpuBinary::kPow},
    {OpType::kSquaredDifference, GpuBinary::kSquaredDifference},
    {OpType::kFloorDiv, GpuBinary::kFloorDiv},
    {OpType::kFloorMod, GpuBinary::kFloorMod},
    {OpType::kAtan2, GpuBinary::kAtan2},
    {OpType::kLogicalAnd, GpuBinary::kMinimum},
    {OpType::kLogicalOr, GpuBinary::kMaximum},
    {OpType::kEqual, GpuBinary::kEqual},
    {OpType::kNotEqual, GpuBinary::kNotEqual},
    {OpType::kLess, GpuBinary::kLess},
    {OpType::kLessEqual, GpuBinary::kLessEqual},
    {OpType::kGreater, GpuBinary::kGreater},
    {OpType::kGreaterEqual, GpuBinary::kGreaterEqual},
});
static_assert(operators::lists_all(kBinary, operators::kBinary) && operators::lists_all(kBinary, operators::kCompares));

Status supports_unary(const PlanContext&, const Node& node) {
  if (node.activation != Activation::kNone) return unsupported("a fused activation after a one-operand function");
  return {};
}

Status supports_binary(const PlanContext&, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

struct IntegerRange {
  int32_t lowest = std::numeric_limits<int32_t>::min(), highest = std::numeric_limits<int32_t>::max();
};
IntegerRange integer_range(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return {.lowest = 0};
    case Activation::kRelu6:
      return {0, 6};
    case Activation::kReluN1To1:
      return {-1, 1};
    default:
      return {};
  }
}

// Emits a step with one or two operands.
Status add_step(Emitter& emitter, const Node& node, const Elements& elements, int32_t code) {
  const auto& [operands, shapes, out, shape] = elements;
  const bool binary = operands.size() == 2;
  const bool integers = is_integer(emitter.graph().value(node.inputs[0]));
  StepParams params({operands.front(), operands.back(), out});
  if (integers) {
    const IntegerRange range = integer_range(node.activation);
    params.ints(code).ints(range.lowest, range.highest);
  } else {
    const auto* leaky = std::get_if<LeakyReluAttr>(&node.attributes);
    params.floats(leaky == nullptr ? 0 : leaky->alpha);
  }
  add_batch_steps(params, shapes, shape);
  const ShaderKey shader = integers ? integer_shader(binary)
                           : binary ? binary_shader(repeated(operands, out), code)
                                    : unary_shader(code);
  return emitter.add_step(shader, std::move(params), Grid::over(out.shape), operands, {out},
                          {.activation = integers ? 0
                                         : binary ? gpu_code(node.activation)
                                                  : function_after(node)});
}

// Whether the readers of a value are steps of elementwise.comp, which convert what they load.
bool is_read_converted(const Graph& graph, ValueId id) {
  const auto converts = [&graph](NodeId user) {
    const OpType op = graph.node(user).op;
    return operators::rows_of(kUnary, op) > 0 || operators::rows_of(kBinary, op) > 0;
  };
  return !graph.is_output(id) && std::ranges::all_of(graph.value(id).users, converts);
}

// The QUANTIZE that alone reads a value, which is then stored as its result: elementwise.comp converts what it stores.
std::optional<ValueId> quantized_result(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (graph.is_output(id) || value.users.size() != 1 || value.type != DataType::kFloat32) return std::nullopt;
  const Node& user = graph.node(value.users.front());
  if (user.op != OpType::kQuantize || !is_quantized(graph.value(user.outputs[0]))) return std::nullopt;
  return user.outputs[0];
}

Status emit_elementwise(Emitter& emitter, const Node& node, int32_t code) {
  const std::optional<ValueId> quantized = quantized_result(emitter.graph(), node.outputs[0]);
  if (quantized) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef result, emitter.tensor(*quantized));
    emitter.place(node.outputs[0], result);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Elements elements, elements_of(emitter, node));
  return add_step(emitter, node, elements, code);
}

Status emit_unary(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  if (node.op == OpType::kDequantize && is_quantized(emitter.graph().value(node.inputs[0])) && !emitter.is_kept(in) &&
      is_read_converted(emitter.graph(), node.outputs[0])) {
    emitter.place(node.outputs[0], in);
    return {};
  }
  if (node.op == OpType::kQuantize) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
    if (in.tensor == out.tensor) return {};  // see quantized_result()
  }
  return emit_elementwise(emitter, node, gpu_code(unary_function(node)));
}

Status emit_binary(Emitter& emitter, const Node& node) {
  return emit_elementwise(emitter, node, gpu_code(gpu_binary(node.op)));
}

// One sum after the other: the last one into the output, the others into temporary tensors.
Status emit_add_n(Emitter& emitter, const Node& node) {
  const Shape& shape = emitter.graph().value(node.outputs[0]).shape;
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef sum, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  if (node.inputs.size() == 1) {
    return add_step(emitter, node, {{sum}, {shape}, out, shape}, gpu_code(GpuUnary::kNone));
  }
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef next, emitter.tensor(node.inputs[i]));
    const bool last = i + 1 == node.inputs.size();
    const TensorRef to = last ? out : emitter.temporary("sum " + std::to_string(i), out.shape, out);
    SIGHTGLASS_RETURN_IF_ERROR(
        add_step(emitter, node, {{sum, next}, {shape, shape}, to, shape}, gpu_code(GpuBinary::kAdd)));
    sum = to;
  }
  return {};
}

void append(std::vector<ShaderKey>& keys, std::vector<ShaderKey> more) {
  keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// With all tensors stored as integers.
ShaderKey stored_as_integers(ShaderKey key, bool binary) {
  key.defines.push_back({"A_I32", "1"});
  if (binary) key.defines.push_back({"B_I32", "1"});
  key.defines.push_back({"OUT_I32", "1"});
  return key;
}

std::vector<ShaderKey> unary_variants() {
  std::vector<ShaderKey> functions;
  for (int32_t code = 0; code <= gpu_code(GpuUnary::kZero); ++code) functions.push_back(unary_shader(code));
  std::vector<ShaderKey> keys = storage_variants(functions, "AO");
  keys.push_back(stored_as_integers(integer_shader(false), false));
  return keys;
}

std::vector<ShaderKey> binary_shaders(GpuBinary first, GpuBinary last) {
  std::vector<ShaderKey> keys;
  for (int32_t code = gpu_code(first); code <= gpu_code(last); ++code) {
    for (const GpuRepeat repeat : {GpuRepeat::kNot, GpuRepeat::kAnyhow, GpuRepeat::kPictures}) {
      keys.push_back(binary_shader(repeat, code));
    }
  }
  return keys;
}

std::vector<ShaderKey> binary_variants() {
  std::vector<ShaderKey> keys = storage_variants(binary_shaders(GpuBinary::kAdd, GpuBinary::kAtan2), "ABO");
  keys.push_back(stored_as_integers(integer_shader(true), true));
  return keys;
}

std::vector<ShaderKey> comparison_variants() {
  std::vector<ShaderKey> keys = storage_variants(binary_shaders(GpuBinary::kEqual, GpuBinary::kGreaterEqual), "AB");
  for (ShaderKey& key : keys) key.defines.push_back({"OUT_I32", "1"});
  keys.push_back(stored_as_integers(integer_shader(true), true));
  return keys;
}

std::vector<ShaderKey> add_n_variants() {
  std::vector<ShaderKey> keys = unary_variants();
  append(keys, binary_variants());
  return keys;
}

}  // namespace

GpuBinary gpu_binary(OpType op) { return operators::find_row(kBinary, op).operation; }

std::vector<Kernel> elementwise_kernels(OpType op) {
  std::vector<Kernel> kernels = elementwise_quantized_kernels(op);
  std::ranges::move(lookup_kernels(op), std::back_inserter(kernels));
  if (operators::rows_of(kUnary, op) > 0)
    kernels.push_back({"elementwise", supports_unary, emit_unary, unary_variants});
  if (operators::rows_of(kBinary, op) > 0) {
    const auto variants = operators::has(op, operators::kCompares) ? comparison_variants : binary_variants;
    kernels.push_back({"elementwise", supports_binary, emit_binary, variants});
  }
  if (op == OpType::kAddN) kernels.push_back({"elementwise", supports_unary, emit_add_n, add_n_variants});
  return kernels;
}

// SELECT and BROADCAST_TO.

namespace {

ShaderKey select_shader() { return {"select.comp", {}}; }
ShaderKey broadcast_shader() { return {"broadcast.comp", {}}; }

Grid grid_of(const TensorRef& out) {
  return {int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
}

Status emit_select(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef condition, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef yes, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef no, emitter.tensor(node.inputs[2]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Shape& shape = graph.value(node.outputs[0]).shape;
  Shape condition_shape = graph.value(node.inputs[0]).shape;
  if (std::get<SelectAttr>(node.attributes).by_row && shape.rank() > 1) {
    // The elements of the vector become the first dimension.
    condition_shape = shape;
    for (int d = 1; d < shape.rank(); ++d) condition_shape.set_dim(d, 1);
    const TensorRef column = emitter.temporary("rows of " + node.origin, Bhwc::from(condition_shape), condition);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, condition, column));
    condition = column;
  }
  StepParams params({condition, yes, no, out});
  add_batch_steps(params, {condition_shape, graph.value(node.inputs[1]).shape, graph.value(node.inputs[2]).shape},
                  shape);
  return emitter.add_step(select_shader(), std::move(params), grid_of(out), {condition, yes, no}, {out});
}

Status emit_broadcast(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params({in, out});
  add_batch_steps(params, {graph.value(node.inputs[0]).shape}, graph.value(node.outputs[0]).shape);
  return emitter.add_step(broadcast_shader(), std::move(params), grid_of(out), {in}, {out});
}

// The condition is always stored as integers.
std::vector<ShaderKey> select_variants() {
  ShaderKey key = select_shader();
  key.defines.push_back({"A_I32", "1"});
  return storage_variants({key}, "BO", true);
}

std::vector<ShaderKey> broadcast_variants() { return storage_variants({broadcast_shader()}, "AO", true); }

}  // namespace

std::vector<Kernel> select_kernels(OpType) {
  return {{"select", supports_without_activation, emit_select, select_variants}};
}
std::vector<Kernel> broadcast_kernels(OpType) {
  return {{"broadcast", supports_without_activation, emit_broadcast, broadcast_variants}};
}

}  // namespace sightglass

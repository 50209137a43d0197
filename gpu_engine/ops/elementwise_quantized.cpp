// ADD, SUB, MUL, PRELU, SQUARED_DIFFERENCE, QUANTIZE, and REINTERPRET between quantized tensors, in fixed point.
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

ShaderKey elementwise_quantized_shader(bool binary) {
  ShaderKey key{"elementwise_quantized.comp", {}};
  if (binary) key.defines.push_back({"USES_B", "1"});
  return key;
}

struct Operation {
  OpType op;
  GpuQuantized code;
};
constexpr auto kOperations = std::to_array<Operation>({
    {OpType::kQuantize, GpuQuantized::kRescale},
    {OpType::kAdd, GpuQuantized::kAdd},
    {OpType::kSub, GpuQuantized::kSub},
    {OpType::kMul, GpuQuantized::kMul},
    {OpType::kPrelu, GpuQuantized::kPrelu},
    {OpType::kSquaredDifference, GpuQuantized::kSquaredDifference},
});

Status supports_elementwise_quantized(const PlanContext& context, const Node& node) {
  for (const ValueId id : {node.inputs.front(), node.inputs.back(), node.outputs[0]}) {
    if (!is_quantized(context.graph.value(id))) return unsupported("a tensor without quantization");
  }
  if (!is_clamp(node.activation)) return unsupported("a fused activation other than a clamp");
  const bool narrow = node.op == OpType::kPrelu || node.op == OpType::kSquaredDifference;
  if (narrow && context.graph.value(node.outputs[0]).type == DataType::kInt16) {
    return unsupported("16-bit integers");
  }
  return {};
}

// Factors of the result, and of the operands of a sum; for PRELU, `a` is that of negative data.
SumFactors factors_of(const Graph& graph, const Node& node) {
  const Value &from = graph.value(node.inputs[0]), &to = graph.value(node.outputs[0]);
  switch (node.op) {
    case OpType::kAdd:
    case OpType::kSub:
      return sum_factors(graph, node);
    case OpType::kSquaredDifference:
      return squared_difference_factors(graph, node);
    case OpType::kMul:
      return {0, {}, {}, product_factor(graph, node)};
    case OpType::kPrelu:
      return {0, product_factor(graph, node), {}, prelu_factor(from, to)};
    default:
      return {0, {}, {}, rescale_factor(from, to)};
  }
}

struct Arithmetic {
  GpuQuantized code = GpuQuantized::kRescale;
  SumFactors factors;
  QuantumRange range;
  int32_t offset = 0;  // added to the result
};

Status emit_arithmetic(Emitter& emitter, const Arithmetic& arithmetic, const std::vector<TensorRef>& inputs,
                       const std::vector<Shape>& shapes, const TensorRef& out, const Shape& out_shape) {
  const auto& [code, factors, range, offset] = arithmetic;
  StepParams params;
  params.tensor(inputs.front()).tensor(inputs.back()).tensor(out);
  params.ints(gpu_code(code), factors.headroom, 0, offset);
  params.ints(range.lowest, range.highest);
  params.ints(factors.out.multiplier, factors.out.shift);
  params.ints(factors.a.multiplier, factors.a.shift, factors.b.multiplier, factors.b.shift);
  add_batch_steps(params, {shapes.front(), shapes.back()}, out_shape);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(elementwise_quantized_shader(inputs.size() == 2), std::move(params), grid, inputs, {out});
}

Status emit_elementwise_quantized(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  std::vector<TensorRef> inputs;
  std::vector<Shape> shapes;
  for (const ValueId input : node.inputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(inputs.emplace_back(), emitter.tensor(input));
    shapes.push_back(graph.value(input).shape);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Value& result = graph.value(node.outputs[0]);
  const Arithmetic arithmetic{operators::find_row(kOperations, node.op).code, factors_of(graph, node),
                              quantum_range(result, node.activation)};
  return emit_arithmetic(emitter, arithmetic, inputs, shapes, out, result.shape);
}

Status supports_reinterpret(const PlanContext&, const Node&) { return {}; }

// Steps count from the zero point. With equal zero points, the tensors share their memory.
Status emit_reinterpret(Emitter& emitter, const Node& node) {
  const Value &from = emitter.graph().value(node.inputs[0]), &to = emitter.graph().value(node.outputs[0]);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  const int32_t offset = zero_point(from) - zero_point(to);
  if (offset == 0) {
    emitter.place(node.outputs[0], {in.tensor, in.shape, scale_of(to.type, to.quantization)});
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Arithmetic arithmetic{GpuQuantized::kShift, {}, quantum_range(to, Activation::kNone), offset};
  return emit_arithmetic(emitter, arithmetic, {in}, {from.shape}, out, to.shape);
}

std::vector<ShaderKey> quantized_unary_variants() {
  return storage_variants({elementwise_quantized_shader(false)}, "AO");
}
std::vector<ShaderKey> quantized_binary_variants() {
  return storage_variants({elementwise_quantized_shader(true)}, "ABO");
}

}  // namespace

Status emit_requantization(Emitter& emitter, const TensorRef& from, const TensorRef& to, const FixedPoint& factor,
                           const QuantumRange& range) {
  const Shape shape{to.shape.b, to.shape.h, to.shape.w, to.shape.c};
  return emit_arithmetic(emitter, {GpuQuantized::kRescale, {0, {}, {}, factor}, range}, {from}, {shape}, to, shape);
}

std::vector<ShaderKey> requantization_variants() { return quantized_unary_variants(); }

std::vector<Kernel> elementwise_quantized_kernels() {
  std::vector<Kernel> kernels;
  kernels.reserve(kOperations.size() + 1);
  for (const Operation& row : kOperations) {
    const auto variants =
        operators::has(row.op, operators::kBinary) ? quantized_binary_variants : quantized_unary_variants;
    kernels.push_back(
        {"elementwise-quantized", row.op, supports_elementwise_quantized, emit_elementwise_quantized, variants});
  }
  kernels.push_back(
      {"reinterpret", OpType::kReinterpret, supports_reinterpret, emit_reinterpret, quantized_unary_variants});
  return kernels;
}

}  // namespace sightglass

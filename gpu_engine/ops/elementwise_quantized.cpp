// ADD, SUB, MUL, PRELU, SQUARED_DIFFERENCE, comparisons, QUANTIZE, and REINTERPRET between quantized tensors, in fixed
// point.
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

ShaderKey division_shader() {
  ShaderKey key = elementwise_quantized_shader(true);
  key.defines.insert(key.defines.begin(), {"DIVISION", "1"});
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
    {OpType::kDiv, GpuQuantized::kDiv},
    {OpType::kSquaredDifference, GpuQuantized::kSquaredDifference},
});

Status supports_elementwise_quantized(const PlanContext& context, const Node& node) {
  for (const ValueId id : {node.inputs.front(), node.inputs.back(), node.outputs[0]}) {
    if (!is_quantized(context.graph.value(id))) return unsupported("a tensor without quantization");
  }
  if (!is_clamp(node.activation)) return unsupported("a fused activation other than a clamp");
  const bool wide = context.graph.value(node.outputs[0]).type == DataType::kInt16;
  if (node.op == OpType::kSquaredDifference && wide) return unsupported("16-bit integers");
  if (node.op == OpType::kPrelu && !has_integer_prelu(context.graph, node)) return unsupported("slopes of 16 bits");
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
    case OpType::kDiv:
      return {0, {}, {}, quotient_factor(graph, node)};
    case OpType::kPrelu:
      return {0, product_factor(graph, node), {}, prelu_factor(from, to)};
    default:
      return {0, {}, {}, rescale_factor(from, to)};
  }
}

// Sums of 16-bit operands without factors: those of the operands contain their right shifts.
SumFactors as_factors(const SumShifts& shifts) { return {0, {0, shifts.a}, {0, shifts.b}, {}}; }

struct Arithmetic {
  GpuQuantized code = GpuQuantized::kRescale;
  SumFactors factors;
  QuantumRange range;
  int32_t offset = 0;  // added to the result
};

Status emit_arithmetic(Emitter& emitter, ShaderKey shader, const Arithmetic& arithmetic, const Elements& elements) {
  const auto& [inputs, shapes, out, shape] = elements;
  const auto& [code, factors, range, offset] = arithmetic;
  StepParams params({inputs.front(), inputs.back(), out});
  params.ints(gpu_code(code), factors.headroom, 0, offset);
  params.ints(range.lowest, range.highest);
  params.ints(factors.out.multiplier, factors.out.shift);
  params.ints(factors.a.multiplier, factors.a.shift, factors.b.multiplier, factors.b.shift);
  add_batch_steps(params, {shapes.front(), shapes.back()}, shape);
  return emitter.add_step(std::move(shader), std::move(params), Grid::over(out.shape), inputs, {out});
}

Status emit_elementwise_quantized(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  SIGHTGLASS_ASSIGN_OR_RETURN(const Elements elements, elements_of(emitter, node));
  const Value& result = graph.value(node.outputs[0]);
  Arithmetic arithmetic;
  arithmetic.range = quantum_range(result, node.activation);
  if (const std::optional<SumShifts> shifts = sum_shifts(graph, node)) {
    arithmetic.code = node.op == OpType::kAdd ? GpuQuantized::kAddShifted : GpuQuantized::kSubShifted;
    arithmetic.factors = as_factors(*shifts);
  } else {
    arithmetic.code = operators::find_row(kOperations, node.op).code;
    arithmetic.factors = factors_of(graph, node);
  }
  const ShaderKey shader =
      node.op == OpType::kDiv ? division_shader() : elementwise_quantized_shader(node.inputs.size() == 2);
  return emit_arithmetic(emitter, shader, arithmetic, elements);
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
  return emit_arithmetic(emitter, elementwise_quantized_shader(false), arithmetic, {{in}, {from.shape}, out, to.shape});
}

ShaderKey comparison_shader(OpType op) {
  ShaderKey key = elementwise_quantized_shader(true);
  key.defines.insert(key.defines.begin(), {"COMPARISON", std::to_string(gpu_code(gpu_binary(op)))});
  return key;
}

Status supports_comparison(const PlanContext& context, const Node& node) {
  return comparison_factors(context.graph, node) ? Status() : unsupported("tensors that are not compared as integers");
}

Status emit_comparison(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Elements elements, elements_of(emitter, node));
  Arithmetic arithmetic;
  arithmetic.factors = *comparison_factors(emitter.graph(), node);
  return emit_arithmetic(emitter, comparison_shader(node.op), arithmetic, elements);
}

std::vector<ShaderKey> quantized_comparison_variants() {
  std::vector<ShaderKey> keys;
  for (const OpType op : all_ops()) {
    if (operators::has(op, operators::kCompares)) keys.push_back(comparison_shader(op));
  }
  keys = storage_variants(keys, "AB");
  for (ShaderKey& key : keys) key.defines.push_back({"OUT_I32", "1"});
  return keys;
}

std::vector<ShaderKey> quantized_unary_variants() {
  return storage_variants({elementwise_quantized_shader(false)}, "AO");
}
std::vector<ShaderKey> quantized_binary_variants() {
  return storage_variants({elementwise_quantized_shader(true), division_shader()}, "ABO");
}

}  // namespace

Status emit_requantization(Emitter& emitter, const TensorRef& from, const TensorRef& to, const FixedPoint& factor,
                           const QuantumRange& range) {
  const Shape shape{to.shape.b, to.shape.h, to.shape.w, to.shape.c};
  return emit_arithmetic(emitter, elementwise_quantized_shader(false),
                         {GpuQuantized::kRescale, {0, {}, {}, factor}, range}, {{from}, {shape}, to, shape});
}

std::vector<ShaderKey> requantization_variants() { return quantized_unary_variants(); }

std::vector<Kernel> elementwise_quantized_kernels(OpType op) {
  if (operators::rows_of(kOperations, op) > 0) {
    const auto variants = operators::has(op, operators::kBinary) ? quantized_binary_variants : quantized_unary_variants;
    return {{"elementwise-quantized", supports_elementwise_quantized, emit_elementwise_quantized, variants}};
  }
  if (operators::has(op, operators::kCompares)) {
    return {{"compare-quantized", supports_comparison, emit_comparison, quantized_comparison_variants}};
  }
  if (op != OpType::kReinterpret) return {};
  return {{"reinterpret", supports_reinterpret, emit_reinterpret, quantized_unary_variants}};
}

}  // namespace sightglass

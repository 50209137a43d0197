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

// The shader of an operation or comparison. GpuQuantized::kDiv has a define of its own.
ShaderKey operation_shader(ShaderDefine operation, bool binary, GpuRepeat repeat, bool nearest) {
  ShaderKey key{"elementwise_quantized.comp", {std::move(operation)}};
  if (nearest) key.defines.push_back({"NEAREST", "1"});
  if (repeat != GpuRepeat::kNot) key.defines.push_back({"BROADCAST", std::to_string(gpu_code(repeat))});
  if (binary) key.defines.push_back({"USES_B", "1"});
  return key;
}

ShaderDefine define_of(GpuQuantized code) {
  if (code == GpuQuantized::kDiv) return {"DIVISION", "1"};
  return {"OPERATION", std::to_string(gpu_code(code))};
}

ShaderDefine define_of(GpuBinary comparison) { return {"COMPARISON", std::to_string(gpu_code(comparison))}; }

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
  std::optional<NearestSum> sum = {};
  std::optional<NearestFactor> product = {};  // of others than sums
  NearestFactor sloped = {};                  // with `product`, of PRELU: of negative data times their slopes
};

void set_product(Arithmetic& arithmetic) {
  const auto& [lowest, highest] = arithmetic.range;
  arithmetic.product = nearest_factor(arithmetic.factors.out, Rounding::kTwice, lowest, highest);
  if (arithmetic.code != GpuQuantized::kPrelu) return;
  const std::optional<NearestFactor> sloped = nearest_factor(arithmetic.factors.a, Rounding::kTwice, lowest, highest);
  if (sloped) {
    arithmetic.sloped = *sloped;
  } else {
    arithmetic.product.reset();
  }
}

Status emit_arithmetic(Emitter& emitter, ShaderDefine operation, const Arithmetic& arithmetic,
                       const Elements& elements) {
  const auto& [inputs, shapes, out, shape] = elements;
  const auto& [code, factors, range, offset, sum, product, sloped] = arithmetic;
  ShaderKey shader = operation_shader(std::move(operation), inputs.size() == 2, repeated(inputs, out), sum || product);
  StepParams params({inputs.front(), inputs.back(), out});
  params.ints(0, factors.headroom, 0, offset);
  params.ints(range.lowest, range.highest);
  params.ints(factors.out.multiplier, factors.out.shift);
  if (sum) {
    params.ints(sum->a, sum->b, sum->half_step, sum->moved);
  } else {
    params.ints(factors.a.multiplier, factors.a.shift, factors.b.multiplier, factors.b.shift);
  }
  const NearestFactor nearest = product.value_or(NearestFactor());
  params.floats(nearest.scale, static_cast<float>(nearest.bits), sloped.scale, static_cast<float>(sloped.bits));
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
  const bool narrow = graph.value(node.inputs[0]).type != DataType::kInt16;
  if (arithmetic.code == GpuQuantized::kAdd || arithmetic.code == GpuQuantized::kSub) {
    arithmetic.sum = nearest_sum(graph, node);
  } else if (arithmetic.code == GpuQuantized::kRescale ||
             (narrow && (arithmetic.code == GpuQuantized::kMul || arithmetic.code == GpuQuantized::kPrelu))) {
    set_product(arithmetic);
  }
  return emit_arithmetic(emitter, define_of(arithmetic.code), arithmetic, elements);
}

Status supports_reinterpret(const PlanContext&, const Node&) { return {}; }

// Steps count from the zero point. With equal zero points, the tensors share their memory.
Status emit_reinterpret(Emitter& emitter, const Node& node) {
  const Value &from = emitter.graph().value(node.inputs[0]), &to = emitter.graph().value(node.outputs[0]);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  const int32_t offset = zero_point(from) - zero_point(to);
  if (offset == 0) {
    emitter.place(node.outputs[0], {in.tensor, in.shape, scale_of(to.type, to.quantization), in.first});
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Arithmetic arithmetic{GpuQuantized::kShift, {}, quantum_range(to, Activation::kNone), offset};
  return emit_arithmetic(emitter, define_of(arithmetic.code), arithmetic, {{in}, {from.shape}, out, to.shape});
}

Status supports_comparison(const PlanContext& context, const Node& node) {
  return comparison_factors(context.graph, node) ? Status() : unsupported("tensors that are not compared as integers");
}

Status emit_comparison(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Elements elements, elements_of(emitter, node));
  Arithmetic arithmetic;
  arithmetic.factors = *comparison_factors(emitter.graph(), node);
  return emit_arithmetic(emitter, define_of(gpu_binary(node.op)), arithmetic, elements);
}

constexpr GpuRepeat kRepeats[] = {GpuRepeat::kNot, GpuRepeat::kAnyhow, GpuRepeat::kPictures};

std::vector<ShaderKey> quantized_comparison_variants() {
  std::vector<ShaderKey> keys;
  for (const OpType op : all_ops()) {
    if (!operators::has(op, operators::kCompares)) continue;
    for (const GpuRepeat repeat : kRepeats) {
      keys.push_back(operation_shader(define_of(gpu_binary(op)), true, repeat, false));
    }
  }
  keys = storage_variants(keys, "AB");
  for (ShaderKey& key : keys) key.defines.push_back({"OUT_I32", "1"});
  return keys;
}

std::vector<ShaderKey> quantized_unary_variants() {
  std::vector<ShaderKey> keys;
  for (const auto& [code, nearest] :
       {std::pair{GpuQuantized::kRescale, false}, {GpuQuantized::kRescale, true}, {GpuQuantized::kShift, false}}) {
    keys.push_back(operation_shader(define_of(code), false, GpuRepeat::kNot, nearest));
  }
  return storage_variants(keys, "AO");
}

std::vector<ShaderKey> quantized_binary_variants() {
  std::vector<ShaderKey> keys;
  for (int32_t code = gpu_code(GpuQuantized::kAdd); code <= gpu_code(GpuQuantized::kDiv); ++code) {
    if (code == gpu_code(GpuQuantized::kShift)) continue;
    for (const GpuRepeat repeat : kRepeats) {
      keys.push_back(operation_shader(define_of(static_cast<GpuQuantized>(code)), true, repeat, false));
      if (code > gpu_code(GpuQuantized::kMul) && code != gpu_code(GpuQuantized::kPrelu)) continue;
      keys.push_back(operation_shader(define_of(static_cast<GpuQuantized>(code)), true, repeat, true));
    }
  }
  return storage_variants(keys, "ABO");
}

}  // namespace

Status emit_requantization(Emitter& emitter, const TensorRef& from, const TensorRef& to, const FixedPoint& factor,
                           const QuantumRange& range) {
  const Shape shape{to.shape.b, to.shape.h, to.shape.w, to.shape.c};
  Arithmetic arithmetic{GpuQuantized::kRescale, {0, {}, {}, factor}, range};
  set_product(arithmetic);
  return emit_arithmetic(emitter, define_of(arithmetic.code), arithmetic, {{from}, {shape}, to, shape});
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

// ADD, SUB, MUL and QUANTIZE between quantized tensors, in fixed point.
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/storage_variants.h"
#include "ops/broadcast.h"
#include "ops/ops.h"
#include "ops/shader_codes.h"

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
});

Status supports_elementwise_quantized(const PlanContext& context, const Node& node) {
  for (const ValueId id : {node.inputs.front(), node.inputs.back(), node.outputs[0]}) {
    if (!is_quantized(context.graph.value(id))) return unsupported("a tensor without quantization");
  }
  if (!is_clamp(node.activation)) return unsupported("a fused activation other than a clamp");
  return {};
}

Status emit_elementwise_quantized(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const bool binary = node.inputs.size() == 2;
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef a, emitter.tensor(node.inputs.front()));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef b, emitter.tensor(node.inputs.back()));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const bool sum = node.op == OpType::kAdd || node.op == OpType::kSub;
  const SumFactors factors = sum ? sum_factors(graph, node) : SumFactors{};
  const FixedPoint result = sum      ? factors.out
                            : binary ? product_factor(graph, node)
                                     : rescale_factor(graph.value(node.inputs[0]), graph.value(node.outputs[0]));
  const QuantumRange range = quantum_range(graph.value(node.outputs[0]), node.activation);
  StepParams params;
  params.tensor(a).tensor(b).tensor(out);
  params.ints(gpu_code(operators::find_row(kOperations, node.op).code), factors.headroom);
  params.ints(range.lowest, range.highest);
  params.ints(result.multiplier, result.shift);
  params.ints(factors.a.multiplier, factors.a.shift, factors.b.multiplier, factors.b.shift);
  add_batch_steps(params, {graph.value(node.inputs.front()).shape, graph.value(node.inputs.back()).shape},
                  graph.value(node.outputs[0]).shape);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  const std::vector<TensorRef> inputs = binary ? std::vector<TensorRef>{a, b} : std::vector<TensorRef>{a};
  return emitter.add_step(elementwise_quantized_shader(binary), std::move(params), grid, inputs, {out});
}

std::vector<ShaderKey> quantized_unary_variants() {
  return storage_variants({elementwise_quantized_shader(false)}, "AO");
}
std::vector<ShaderKey> quantized_binary_variants() {
  return storage_variants({elementwise_quantized_shader(true)}, "ABO");
}

}  // namespace

std::vector<Kernel> elementwise_quantized_kernels() {
  std::vector<Kernel> kernels;
  kernels.reserve(kOperations.size());
  for (const Operation& row : kOperations) {
    const auto variants =
        operators::has(row.op, operators::kBinary) ? quantized_binary_variants : quantized_unary_variants;
    kernels.push_back(
        {"elementwise-quantized", row.op, supports_elementwise_quantized, emit_elementwise_quantized, variants});
  }
  return kernels;
}

}  // namespace sightglass

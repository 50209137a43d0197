#include "graph/op_types.h"
#include "graph/quantized.h"
#include "kernel/storage_variants.h"
#include "ops/function.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey mean_shader(bool requantize) {
  ShaderKey key{"mean_hw.comp", {}};
  if (requantize) key.defines.push_back({"REQUANTIZE", "1"});
  return key;
}

// Converts the axes of the shape to rows and columns of its BHWC view.
Status supports_mean(const PlanContext& context, const Node& node) {
  const int rank = context.graph.value(node.inputs[0]).shape.rank();
  const auto& axes = std::get<ReduceAttr>(node.attributes).axes;
  const bool rows_and_columns = axes.size() == 2 && axes[0] == rank - 3 && axes[1] == rank - 2;
  if (is_integer(context.graph.value(node.inputs[0]))) return unsupported("integers");
  if (!rows_and_columns) return unsupported("a mean over axes other than rows and columns");
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit_mean(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  // Without kept dimensions the batch becomes another axis of the result.
  const Bhwc reduced{in.shape.b, 1, 1, in.shape.c};
  TensorRef target{out.tensor, reduced, out.scale};
  if (!same_layout(reduced, out.shape)) target = emitter.temporary("mean " + node.origin, reduced, out);
  StepParams params;
  params.tensor(in).tensor(target);
  const Value &from = emitter.graph().value(node.inputs[0]), &to = emitter.graph().value(node.outputs[0]);
  const bool requantize = is_quantized(from) && is_quantized(to) && is_clamp(node.activation);
  const MeanFactors factors = requantize ? mean_factors(emitter.graph(), node) : MeanFactors{};
  const QuantumRange range = requantize ? quantum_range(to, node.activation) : QuantumRange{};
  params.ints(0, factors.before, factors.factor.multiplier, factors.factor.shift);
  params.ints(range.lowest, range.highest, 0, factors.after);
  const Grid grid{1, int64_t{in.shape.b} * in.shape.slices()};
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(mean_shader(requantize), std::move(params), grid, {in}, {target},
                                              {.activation = gpu_code(node.activation)}));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> mean_variants() { return storage_variants({mean_shader(false), mean_shader(true)}, "AO"); }

}  // namespace

Kernel mean_kernel() { return {"mean-hw", OpType::kMean, supports_mean, emit_mean, mean_variants}; }

}  // namespace sightglass

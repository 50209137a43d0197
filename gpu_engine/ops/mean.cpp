#include "ops/function.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey mean_shader() { return {"mean_hw.comp", {}}; }

// The axes of the shape as rows and columns of its BHWC view.
Status supports(const PlanContext& context, const Node& node) {
  const int rank = context.graph.value(node.inputs[0]).shape.rank();
  const auto& axes = std::get<ReduceAttr>(node.attributes).axes;
  const bool rows_and_columns = axes.size() == 2 && axes[0] == rank - 3 && axes[1] == rank - 2;
  if (!rows_and_columns) return unsupported("a mean over other axes than rows and columns");
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit(Emitter& emitter, const Node& node) {
  SG_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  // Without kept dimensions the batch becomes another axis of the result.
  const Bhwc reduced{in.shape.b, 1, 1, in.shape.c};
  TensorRef target{out.tensor, reduced, out.scale};
  if (!same_layout(reduced, out.shape)) target = emitter.temporary("mean " + node.origin, reduced, out);
  StepParams params;
  params.tensor(in).tensor(target).ints(gpu_code(node.activation));
  const Grid grid{1, int64_t{in.shape.b} * in.shape.slices()};
  SG_RETURN_IF_ERROR(emitter.add_step(mean_shader(), std::move(params), grid, {in}, {target}));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> variants() { return storage_variants({mean_shader()}, "AO"); }

}  // namespace

Kernel mean_kernel() { return {"mean-hw", OpType::kMean, supports, emit, variants}; }

}  // namespace sightglass

#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey softmax_shader() { return {"softmax.comp", {}}; }

Status supports(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

Status emit(Emitter& emitter, const Node& node) {
  SG_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(in).tensor(out).floats(std::get<SoftmaxAttr>(node.attributes).beta);
  const Grid grid{int64_t{in.shape.h} * in.shape.w, in.shape.b};
  return emitter.add_step(softmax_shader(), std::move(params), grid, {in}, {out});
}

std::vector<ShaderKey> variants() { return storage_variants({softmax_shader()}, "AO"); }

}  // namespace

Kernel softmax_kernel() { return {"softmax", OpType::kSoftmax, supports, emit, variants}; }

}  // namespace sightglass

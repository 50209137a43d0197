#include "kernel/storage_variants.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey depth_to_space_shader() { return {"depth_to_space.comp", {}}; }

Status supports_depth_to_space(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

Status emit_depth_to_space(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(in).tensor(out).ints(std::get<DepthToSpaceAttr>(node.attributes).block_size);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(depth_to_space_shader(), std::move(params), grid, {in}, {out});
}

std::vector<ShaderKey> depth_to_space_variants() { return storage_variants({depth_to_space_shader()}, "AO", true); }

}  // namespace

Kernel depth_to_space_kernel() {
  return {"depth-to-space", OpType::kDepthToSpace, supports_depth_to_space, emit_depth_to_space,
          depth_to_space_variants};
}

}  // namespace sightglass

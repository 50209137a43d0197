#include "kernel/storage_variants.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey reshape_shader(bool lanes) {
  ShaderKey key{"reshape.comp", {}};
  if (lanes) key.defines.push_back({"LANES", "1"});
  return key;
}

Status supports_reshape(const PlanContext&, const Node&) { return {}; }

Status emit_reshape(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  const ValueId output = node.outputs[0];
  if (same_layout(in.shape, Bhwc::from(emitter.graph().value(output).shape))) {
    emitter.alias(output, in);
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(output));
  return emit_reshape(emitter, in, out);
}

std::vector<ShaderKey> reshape_variants() {
  return storage_variants({reshape_shader(false), reshape_shader(true)}, "AO", true);
}

}  // namespace

bool same_layout(const Bhwc& a, const Bhwc& b) {
  if (a.c != b.c) return false;
  const int64_t a_area = int64_t{a.h} * a.w, b_area = int64_t{b.h} * b.w;
  return a.slices() == 1 ? a.b * a_area == b.b * b_area : a.b == b.b && a_area == b_area;
}

Status emit_reshape(Emitter& emitter, const TensorRef& from, const TensorRef& to) {
  StepParams params;
  params.tensor(from).tensor(to);
  const Grid grid{int64_t{to.shape.h} * to.shape.w, int64_t{to.shape.b} * to.shape.slices()};
  return emitter.add_step(reshape_shader(from.shape.c != to.shape.c), std::move(params), grid, {from}, {to});
}

Kernel reshape_kernel() { return {"reshape", OpType::kReshape, supports_reshape, emit_reshape, reshape_variants}; }

}  // namespace sightglass

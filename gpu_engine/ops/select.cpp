// SELECT and BROADCAST_TO.
#include "kernel/storage_variants.h"
#include "ops/broadcast.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey select_shader() { return {"select.comp", {}}; }
ShaderKey broadcast_shader() { return {"broadcast.comp", {}}; }

Status supports_select(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

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
  StepParams params;
  params.tensor(condition).tensor(yes).tensor(no).tensor(out);
  add_batch_steps(params, {condition_shape, graph.value(node.inputs[1]).shape, graph.value(node.inputs[2]).shape},
                  shape);
  return emitter.add_step(select_shader(), std::move(params), grid_of(out), {condition, yes, no}, {out});
}

Status emit_broadcast(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(in).tensor(out);
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

Kernel select_kernel() { return {"select", OpType::kSelect, supports_select, emit_select, select_variants}; }
Kernel broadcast_kernel() {
  return {"broadcast", OpType::kBroadcastTo, supports_select, emit_broadcast, broadcast_variants};
}

}  // namespace sightglass

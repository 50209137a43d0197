#include "ops/function.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey concat_shader(bool reads_output) {
  ShaderKey key{"concat.comp", {}};
  if (reads_output) key.defines.push_back({"READS_OUTPUT", "1"});
  return key;
}

Status supports(const PlanContext& context, const Node& node) {
  const Shape& shape = context.graph.value(node.outputs[0]).shape;
  if (shape.rank() > 4 && std::get<ConcatAttr>(node.attributes).axis < shape.rank() - 3) {
    return unsupported("concatenation along the first axes of a tensor of rank " + std::to_string(shape.rank()));
  }
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit(Emitter& emitter, const Node& node) {
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const int rank = emitter.graph().value(node.outputs[0]).shape.rank();
  // Which of batch, rows, columns, channels the axis is: they are right-aligned.
  const int axis = 4 - rank + std::get<ConcatAttr>(node.attributes).axis;
  int32_t place = 0;
  for (const ValueId input : node.inputs) {
    SG_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(input));
    const int32_t x = axis == 2 ? place : 0, y = axis == 1 ? place : 0;
    const int32_t c = axis == 3 ? place : 0, b = axis == 0 ? place : 0;
    place += axis == 0 ? in.shape.b : axis == 1 ? in.shape.h : axis == 2 ? in.shape.w : in.shape.c;
    if (in.shape.vec4s() == 0) continue;
    const int32_t touched = (c + in.shape.c - 1) / 4 - c / 4 + 1;
    const bool misaligned = c % 4 != 0;
    StepParams params;
    params.tensor(in).tensor(out).ints(x, y, c, b).ints(touched, gpu_code(node.activation));
    const Grid grid{int64_t{in.shape.h} * in.shape.w, int64_t{in.shape.b} * touched};
    SG_RETURN_IF_ERROR(emitter.add_step(concat_shader(misaligned), std::move(params), grid, {in}, {out},
                                        {.reads_output = misaligned}));
  }
  return {};
}

std::vector<ShaderKey> variants() { return storage_variants({concat_shader(false), concat_shader(true)}, "AO", true); }

}  // namespace

Kernel concat_kernel() { return {"concat", OpType::kConcat, supports, emit, variants}; }

}  // namespace sightglass

// PAD and STRIDED_SLICE: both copy a box, into a larger tensor or out of one.
#include <array>

#include "kernel/storage_variants.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey slice_pad_shader(bool lanes) {
  ShaderKey key{"slice_pad.comp", {}};
  if (lanes) key.defines.push_back({"LANES", "1"});
  return key;
}

// Batch, rows, columns, channels of an attribute indexed by the dimensions of a shape.
using Box = std::array<int32_t, 4>;
Box right_aligned(const std::array<int32_t, Shape::kMaxRank>& values, int rank, int32_t missing) {
  Box box{missing, missing, missing, missing};
  for (int i = 0; i < 4 && i < rank; ++i) {
    box[static_cast<size_t>(3 - i)] = values[static_cast<size_t>(rank - 1 - i)];
  }
  return box;
}

Status emit_copy(Emitter& emitter, const TensorRef& in, const TensorRef& out, const Box& begin, const Box& stride,
                 float fill) {
  // Whole slices move if channels keep their lanes. The filled part must be whole slices too.
  const bool whole = begin[3] % 4 == 0 && stride[3] == 1;
  StepParams params;
  params.tensor(in).tensor(out);
  params.ints(begin[2], begin[1], begin[3], begin[0]);
  params.ints(stride[2], stride[1], stride[3], stride[0]);
  params.floats(fill);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(slice_pad_shader(!whole), std::move(params), grid, {in}, {out});
}

Status supports_slice_pad(const PlanContext& context, const Node& node) {
  if (context.graph.value(node.inputs[0]).shape.rank() > 4) return unsupported("a tensor of more than four dimensions");
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

Status emit_pad(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<PadAttr>(node.attributes);
  Box begin = right_aligned(attr.before, emitter.graph().value(node.inputs[0]).shape.rank(), 0);
  for (int32_t& v : begin) v = -v;
  return emit_copy(emitter, in, out, begin, {1, 1, 1, 1}, attr.value);
}

Status emit_strided_slice(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<StridedSliceAttr>(node.attributes);
  const int rank = emitter.graph().value(node.inputs[0]).shape.rank();
  const Box size = right_aligned(attr.size, rank, 1);
  const Bhwc sliced{size[0], size[1], size[2], size[3]};
  // Shrinking an axis shifts the others in the BHWC view, which matters only if it moves elements in memory.
  TensorRef target{out.tensor, sliced, out.scale};
  if (!same_layout(sliced, out.shape)) target = emitter.temporary("slice " + node.origin, sliced, out);
  SIGHTGLASS_RETURN_IF_ERROR(
      emit_copy(emitter, in, target, right_aligned(attr.begin, rank, 0), right_aligned(attr.stride, rank, 1), 0.0f));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> slice_pad_variants() {
  return storage_variants({slice_pad_shader(false), slice_pad_shader(true)}, "AO", true);
}

}  // namespace

Kernel pad_kernel() { return {"pad", OpType::kPad, supports_slice_pad, emit_pad, slice_pad_variants}; }

Kernel strided_slice_kernel() {
  return {"strided-slice", OpType::kStridedSlice, supports_slice_pad, emit_strided_slice, slice_pad_variants};
}

}  // namespace sightglass

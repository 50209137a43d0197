#include "graph/movement.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "graph/operator_table.h"
#include "kernel/tensors.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

// Operators that only move elements by strides (graph/movement.h), and RESIZE_NEAREST_NEIGHBOR.

namespace {

constexpr size_t kMaxDims = 12;

ShaderKey move_shader(bool lanes) {
  ShaderKey key{"move.comp", {}};
  if (lanes) key.defines.push_back({"LANES", "1"});
  return key;
}

// Converts positions to pixels if every pixel moves as a whole; otherwise returns false.
bool to_pixels(Movement& m, int32_t in_channels, int32_t out_channels) {
  if (in_channels != out_channels) return false;
  const int32_t channels = out_channels;
  if (channels > 1) {
    if (m.dims.empty()) return false;
    MovementDim& last = m.dims.back();
    const bool whole = m.outside == Outside::kNothing || (last.begin == 0 && last.limit >= last.size);
    if (!whole || last.stride != 1 || last.size % channels != 0) return false;
    last.size /= channels;
    last.stride = channels;
    if (last.limit != INT32_MAX) last.limit /= channels;
  }
  if (m.first % channels != 0) return false;
  if (std::ranges::any_of(m.dims, [&](const MovementDim& d) { return d.stride % channels != 0; })) return false;
  m.first /= channels;
  for (MovementDim& d : m.dims) d.stride /= channels;
  return true;
}

Status supports_move(const PlanContext& context, const Node& node) {
  if (node.activation != Activation::kNone) return unsupported("a fused activation");
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    for (const Movement& m : movements(context.graph, node, i)) {
      if (m.shape.rank() > 5) return unsupported("a tensor of more than five dimensions");
      if (simplified(m).dims.size() > kMaxDims) return unsupported("a movement along too many dimensions");
    }
  }
  return {};
}

// Places an output that is the channels of one image from `channel` on where they are in `in`, if steps can read them
// there: whole slices of a tensor that no step changes later. Concatenations place their inputs themselves.
bool place_channels(Emitter& emitter, ValueId output, const TensorRef& in, int32_t channel) {
  const Graph& graph = emitter.graph();
  const Value& value = graph.value(output);
  const Bhwc shape = Bhwc::from(value.shape);
  const bool whole_slices = channel % 4 == 0 && (shape.c % 4 == 0 || channel + shape.c == in.shape.c);
  const bool image = in.shape.b == 1 && shape.b == 1 && shape.h == in.shape.h && shape.w == in.shape.w;
  const bool joins = std::ranges::any_of(value.users, [&](NodeId user) {
    return graph.node(user).op == OpType::kConcat || graph.node(user).op == OpType::kPack;
  });
  if (!whole_slices || !image || joins || graph.is_output(output) || emitter.is_kept(in)) return false;
  if (scale_of(value.type, value.quantization) != in.scale) return false;
  emitter.place(output, {in.tensor, shape, in.scale, in.first + int64_t{channel} / 4 * shape.h * shape.w});
  return true;
}

// Whether output `i` of a SPLIT is placed in its input.
bool place_part(Emitter& emitter, const Node& node, const TensorRef& in, size_t i) {
  const auto* attr = std::get_if<SplitAttr>(&node.attributes);
  if (attr == nullptr || attr->drop_axis || attr->axis + 1 != emitter.graph().value(node.inputs[0]).shape.rank()) {
    return false;
  }
  return place_channels(emitter, node.outputs[i], in,
                        std::accumulate(attr->sizes.begin(), attr->sizes.begin() + static_cast<std::ptrdiff_t>(i), 0));
}

Status emit_move(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (place_part(emitter, node, in, i)) continue;
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[i]));
    const std::vector<Movement> stages = movements(emitter.graph(), node, i);
    TensorRef from = in;
    for (size_t s = 0; s < stages.size(); ++s) {
      const bool last = s + 1 == stages.size();
      const TensorRef to = last ? out : emitter.temporary("part of " + node.origin, Bhwc::from(stages[s].shape), in);
      SIGHTGLASS_RETURN_IF_ERROR(emit_movement(emitter, stages[s], from, to));
      from = to;
    }
  }
  return {};
}

std::vector<ShaderKey> move_variants() { return storage_variants({move_shader(false), move_shader(true)}, "AO", true); }

ShaderKey nearest_shader() { return {"resize_nearest.comp", {}}; }

Status emit_nearest(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<ResizeAttr>(node.attributes);
  StepParams params({in, out});
  params.floats(attr.scale(in.shape.w, out.shape.w), attr.scale(in.shape.h, out.shape.h),
                attr.half_pixel_centers ? 0.5f : 0.0f, attr.align_corners ? 0.5f : 0.0f);
  return emitter.add_step(nearest_shader(), std::move(params), Grid::over(out.shape), {in}, {out});
}

std::vector<ShaderKey> nearest_variants() { return storage_variants({nearest_shader()}, "AO", true); }

}  // namespace

Status emit_movement(Emitter& emitter, const Movement& movement, const TensorRef& from, const TensorRef& to) {
  Movement m = simplified(movement);
  const bool whole = to_pixels(m, from.shape.c, to.shape.c);
  std::array<MovementDim, kMaxDims> dims;
  std::ranges::copy(m.dims, dims.begin());
  StepParams params({from, to});
  // The channels of a pixel are neighbors along the last dimension.
  const bool steady =
      !whole && m.outside == Outside::kNothing && !m.dims.empty() && m.dims.back().size % to.shape.c == 0;
  params.ints(static_cast<int32_t>(m.dims.size()), static_cast<int32_t>(m.first), static_cast<int32_t>(m.outside),
              steady ? static_cast<int32_t>(m.dims.back().stride) : 0);
  params.floats(m.fill);
  for (const MovementDim& d : dims) params.ints(d.size, static_cast<int32_t>(d.stride), d.begin, d.limit);
  Grid grid = Grid::over(to.shape);
  if (whole) grid.z = int64_t{to.shape.b} * ((to.shape.slices() + kMovedSlices - 1) / kMovedSlices);
  return emitter.add_step(move_shader(!whole), std::move(params), grid, {from}, {to});
}

std::vector<Kernel> movement_kernels(OpType) { return {{"move", supports_move, emit_move, move_variants}}; }
std::vector<Kernel> resize_nearest_kernels(OpType) {
  return {{"resize-nearest", supports_without_activation, emit_nearest, nearest_variants}};
}

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

}  // namespace

std::vector<ShaderKey> reshape_variants() {
  return storage_variants({reshape_shader(false), reshape_shader(true)}, "AO", true);
}

bool same_layout(const Bhwc& a, const Bhwc& b) {
  if (a.c != b.c) return false;
  const int64_t a_area = int64_t{a.h} * a.w, b_area = int64_t{b.h} * b.w;
  return a.slices() == 1 ? a.b * a_area == b.b * b_area : a.b == b.b && a_area == b_area;
}

Status emit_reshape(Emitter& emitter, const TensorRef& from, const TensorRef& to) {
  StepParams params({from, to});
  return emitter.add_step(reshape_shader(from.shape.c != to.shape.c), std::move(params), Grid::over(to.shape), {from},
                          {to});
}

std::vector<Kernel> reshape_kernels(OpType) { return {{"reshape", supports_reshape, emit_reshape, reshape_variants}}; }

namespace {

ShaderKey depth_to_space_shader() { return {"depth_to_space.comp", {}}; }

Status emit_depth_to_space(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  auto params = StepParams({in, out}).ints(std::get<BlockSizeAttr>(node.attributes).block_size);
  return emitter.add_step(depth_to_space_shader(), std::move(params), Grid::over(out.shape), {in}, {out});
}

std::vector<ShaderKey> depth_to_space_variants() { return storage_variants({depth_to_space_shader()}, "AO", true); }

}  // namespace

std::vector<Kernel> depth_to_space_kernels(OpType) {
  return {{"depth-to-space", supports_without_activation, emit_depth_to_space, depth_to_space_variants}};
}

// PAD and STRIDED_SLICE: both copy a box, into a larger tensor or out of one.

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

struct Copied {
  Box begin, stride{1, 1, 1, 1};
  float fill = 0;
};

Status emit_copy(Emitter& emitter, const TensorRef& in, const TensorRef& out, const Copied& copied) {
  const auto& [begin, stride, fill] = copied;
  // Whole slices move if channels keep their lanes. The filled part must be whole slices too.
  const bool whole = begin[3] % 4 == 0 && stride[3] == 1;
  StepParams params({in, out});
  params.ints(begin[2], begin[1], begin[3], begin[0]);
  params.ints(stride[2], stride[1], stride[3], stride[0]);
  params.floats(fill);
  return emitter.add_step(slice_pad_shader(!whole), std::move(params), Grid::over(out.shape), {in}, {out});
}

Status supports_slice_pad(const PlanContext& context, const Node& node) {
  if (context.graph.value(node.inputs[0]).shape.rank() > 4) return unsupported("a tensor of more than four dimensions");
  return supports_without_activation(context, node);
}

Status emit_pad(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<PadAttr>(node.attributes);
  Box begin = right_aligned(attr.before, emitter.graph().value(node.inputs[0]).shape.rank(), 0);
  for (int32_t& v : begin) v = -v;
  return emit_copy(emitter, in, out, {.begin = begin, .fill = attr.value});
}

Status emit_strided_slice(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  const auto& attr = std::get<StridedSliceAttr>(node.attributes);
  const int rank = emitter.graph().value(node.inputs[0]).shape.rank();
  const Box size = right_aligned(attr.size, rank, 1), begin = right_aligned(attr.begin, rank, 0);
  const Bhwc sliced{size[0], size[1], size[2], size[3]};
  const bool in_order = right_aligned(attr.stride, rank, 1) == Box{1, 1, 1, 1};
  if (in_order && Bhwc::from(emitter.graph().value(node.outputs[0]).shape) == sliced &&
      place_channels(emitter, node.outputs[0], in, begin[3])) {
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  // Shrinking an axis shifts the others in the BHWC view, which matters only if it moves elements in memory.
  TensorRef target{out.tensor, sliced, out.scale};
  if (!same_layout(sliced, out.shape)) target = emitter.temporary("slice " + node.origin, sliced, out);
  SIGHTGLASS_RETURN_IF_ERROR(emit_copy(emitter, in, target, {begin, right_aligned(attr.stride, rank, 1)}));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> slice_pad_variants() {
  return storage_variants({slice_pad_shader(false), slice_pad_shader(true)}, "AO", true);
}

}  // namespace

std::vector<Kernel> pad_kernels(OpType op) {
  std::vector<Kernel> kernels{{"pad", supports_slice_pad, emit_pad, slice_pad_variants}};
  std::ranges::move(movement_kernels(op), std::back_inserter(kernels));
  return kernels;
}

std::vector<Kernel> strided_slice_kernels(OpType op) {
  std::vector<Kernel> kernels{{"strided-slice", supports_slice_pad, emit_strided_slice, slice_pad_variants}};
  std::ranges::move(movement_kernels(op), std::back_inserter(kernels));
  return kernels;
}

// GATHER and GATHER_ND.

namespace {

ShaderKey gather_shader(bool lanes) {
  ShaderKey key{"gather.comp", {}};
  if (lanes) key.defines.push_back({"LANES", "1"});
  return key;
}

// Counts of input elements.
struct Parts {
  int64_t inner = 1;       // consecutive elements gathered together
  int64_t count = 1;       // number of gathered parts per row
  int64_t batch_rows = 1;  // rows that share their indices
  int64_t row = 0;         // elements of the input per row
  std::vector<int32_t> sizes;
  std::vector<int64_t> strides;
};

Parts parts_of(const Graph& graph, const Node& node) {
  const Shape &data = graph.value(node.inputs[0]).shape, &indices = graph.value(node.inputs[1]).shape;
  const std::vector<int64_t> strides = element_strides(data);
  Parts parts;
  if (node.op == OpType::kGatherNd) {
    const int depth = indices.dim(indices.rank() - 1);
    parts.inner = strides[static_cast<size_t>(depth) - 1];
    parts.count = indices.elements() / depth;
    for (int d = 0; d < depth; ++d) parts.sizes.push_back(data.dim(d));
    parts.strides.assign(strides.begin(), strides.begin() + depth);
    return parts;
  }
  const auto& attr = std::get<GatherAttr>(node.attributes);
  int64_t batches = 1;
  for (int d = 0; d < attr.batch_dims; ++d) batches *= data.dim(d);
  parts.inner = strides[static_cast<size_t>(attr.axis)];
  parts.count = indices.elements() / batches;
  parts.row = parts.inner * data.dim(attr.axis);
  parts.batch_rows = data.elements() / parts.row / batches;
  parts.sizes = {data.dim(attr.axis)};
  parts.strides = {parts.inner};
  return parts;
}

Status emit_gather(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef indices, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Parts parts = parts_of(emitter.graph(), node);
  const bool whole = in.shape.c == out.shape.c && parts.inner % in.shape.c == 0;
  const auto place = [&](int64_t elements) { return static_cast<int32_t>(whole ? elements / in.shape.c : elements); };
  StepParams params({in, indices, out});
  params.ints(place(parts.inner), static_cast<int32_t>(parts.count), static_cast<int32_t>(parts.batch_rows),
              static_cast<int32_t>(parts.sizes.size()));
  params.ints(place(parts.row));
  const auto size = [&](size_t k) { return k < parts.sizes.size() ? parts.sizes[k] : 1; };
  const auto stride = [&](size_t k) { return k < parts.strides.size() ? place(parts.strides[k]) : 0; };
  for (const size_t k : {0, 4}) params.ints(size(k), size(k + 1), size(k + 2), size(k + 3));
  for (const size_t k : {0, 4}) params.ints(stride(k), stride(k + 1), stride(k + 2), stride(k + 3));
  return emitter.add_step(gather_shader(!whole), std::move(params), Grid::over(out.shape), {in, indices}, {out});
}

// Indices are integers, whatever the type of the data.
std::vector<ShaderKey> gather_variants() {
  std::vector<ShaderKey> keys;
  for (ShaderKey key : storage_variants({gather_shader(false), gather_shader(true)}, "A", true)) {
    const std::string last = key.defines.empty() ? "" : key.defines.back().name;
    key.defines.push_back({"B_I32", "1"});
    if (last.starts_with("A_")) key.defines.push_back({"OUT" + last.substr(1), "1"});
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::vector<Kernel> gather_kernels(OpType) {
  return {{"gather", supports_without_activation, emit_gather, gather_variants}};
}

}  // namespace sightglass

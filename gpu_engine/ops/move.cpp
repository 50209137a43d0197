// Operators that only move elements by strides (graph/movement.h), and RESIZE_NEAREST_NEIGHBOR.
#include <algorithm>
#include <array>

#include "graph/movement.h"
#include "graph/operator_table.h"
#include "kernel/storage_variants.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

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

Status emit_move(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
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

Status supports_nearest(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

Status emit_nearest(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<ResizeAttr>(node.attributes);
  StepParams params;
  params.tensor(in).tensor(out);
  params.floats(attr.scale(in.shape.w, out.shape.w), attr.scale(in.shape.h, out.shape.h),
                attr.half_pixel_centers ? 0.5f : 0.0f, attr.align_corners ? 0.5f : 0.0f);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(nearest_shader(), std::move(params), grid, {in}, {out});
}

std::vector<ShaderKey> nearest_variants() { return storage_variants({nearest_shader()}, "AO", true); }

}  // namespace

Status emit_movement(Emitter& emitter, const Movement& movement, const TensorRef& from, const TensorRef& to) {
  Movement m = simplified(movement);
  const bool whole = to_pixels(m, from.shape.c, to.shape.c);
  std::array<MovementDim, kMaxDims> dims;
  std::ranges::copy(m.dims, dims.begin());
  StepParams params;
  params.tensor(from).tensor(to);
  params.ints(static_cast<int32_t>(m.dims.size()), static_cast<int32_t>(m.first), static_cast<int32_t>(m.outside));
  params.floats(m.fill);
  const auto each = [&](auto number) {
    for (size_t k = 0; k < kMaxDims; k += 4) {
      params.ints(number(dims[k]), number(dims[k + 1]), number(dims[k + 2]), number(dims[k + 3]));
    }
  };
  each([](const MovementDim& d) { return d.size; });
  each([](const MovementDim& d) { return static_cast<int32_t>(d.stride); });
  each([](const MovementDim& d) { return d.begin; });
  each([](const MovementDim& d) { return d.limit; });
  const Grid grid{int64_t{to.shape.h} * to.shape.w, int64_t{to.shape.b} * to.shape.slices()};
  return emitter.add_step(move_shader(!whole), std::move(params), grid, {from}, {to});
}

std::vector<Kernel> movement_kernels() {
  std::vector<Kernel> kernels;
  for (const OpType op : all_ops()) {
    if (operators::has(op, operators::kBySteps))
      kernels.push_back({"move", op, supports_move, emit_move, move_variants});
  }
  kernels.push_back({"resize-nearest", OpType::kResizeNearest, supports_nearest, emit_nearest, nearest_variants});
  return kernels;
}

}  // namespace sightglass

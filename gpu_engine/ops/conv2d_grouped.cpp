// CONV_2D with channel groups, or with computed weights or bias.
#include "ops/conv_constants.h"
#include "ops/conv_step.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

const ShaderKey kShader{"conv2d_grouped.comp", {}};

// [O][I/4][kh][kw] vec4 from [O, kh, kw, I], like a weight tensor in the arena.
std::vector<float> pack_filters(const std::vector<float>& dense, const Shape& shape) {
  const auto taps = static_cast<size_t>(shape.dim(1)) * static_cast<size_t>(shape.dim(2));
  const auto depth = static_cast<size_t>(shape.dim(3)), slices = (depth + 3) / 4;
  std::vector<float> packed(static_cast<size_t>(shape.dim(0)) * slices * taps * 4, 0.0f);
  for (size_t i = 0; i < dense.size(); ++i) {
    const size_t channel = i % depth, tap = i / depth % taps, filter = i / depth / taps;
    packed[((filter * slices + channel / 4) * taps + tap) * 4 + channel % 4] = dense[i];
  }
  return packed;
}

Status check_grouped_loop(const PlanContext& context, const Shape& weights) {
  const int64_t limit = context.limits.max_loop_iterations, slices = (weights.dim(3) + 3) / 4;
  const int64_t iterations = weights.dim(1) * (weights.dim(2) * (slices * 5 + 1) + 1);
  if (limit == 0 || iterations <= limit) return {};
  return unsupported("a reduction of " + std::to_string(iterations) + " steps; this device ends loops after " +
                     std::to_string(limit));
}

Status supports_conv2d_grouped(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(0)));
  if (residual_of(node) != kNone || gate_of(node) != kNone) return unsupported("it reads other tensors");
  return check_grouped_loop(context, weights);
}

Status supports_computed_conv2d(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_computed_weights(context.graph, node, weights.dim(0)));
  if (residual_of(node) != kNone || gate_of(node) != kNone) return unsupported("it reads other tensors");
  return check_grouped_loop(context, weights);
}

Status emit_conv2d_grouped_with_constants(Emitter& emitter, const Node& node, const ConvConstants& constants) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const int32_t depth = weights.dim(3), groups = in.shape.c / depth;
  StepParams params;
  params.tensor(in).tensor(out);
  params.ints(weights.dim(2), weights.dim(1), attr.stride_w, attr.stride_h);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  params.ints(depth, out.shape.c / groups, (depth + 3) / 4);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return add_conv_step(emitter, kShader, std::move(params), grid, in, out, constants);
}

Status emit_conv2d_grouped(Emitter& emitter, const Node& node) {
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const ConvQuantization quantization = conv_quantization(emitter, node, weights.dim(0));
  const std::vector<float> packed = pack_filters(conv_weights(emitter.graph(), node, quantization), weights);
  return emit_conv2d_grouped_with_constants(emitter, node,
                                            add_conv_constants(emitter, node, quantization, packed, weights.dim(0)));
}

Status emit_computed_conv2d(Emitter& emitter, const Node& node) {
  const int32_t channels = emitter.graph().value(node.inputs[1]).shape.dim(0);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ConvConstants constants, add_computed_weights(emitter, node, channels));
  return emit_conv2d_grouped_with_constants(emitter, node, constants);
}

std::vector<ShaderKey> conv2d_grouped_variants() { return conv_variants({kShader}, true); }
std::vector<ShaderKey> computed_conv2d_variants() { return computed_variants({kShader}); }

}  // namespace

Kernel conv2d_grouped_kernel() {
  return {"conv2d-grouped", OpType::kConv2d, supports_conv2d_grouped, emit_conv2d_grouped, conv2d_grouped_variants};
}

Kernel conv2d_computed_kernel() {
  return {"conv2d-computed",    OpType::kConv2d,          supports_computed_conv2d,
          emit_computed_conv2d, computed_conv2d_variants, kComputedLimits};
}

}  // namespace sightglass

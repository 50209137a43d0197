// A DEPTHWISE_CONV_2D and the 1×1 CONV_2D that reads it, in one step. fuse-depthwise decides when this is worthwhile.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "ops/conv_constants.h"
#include "ops/conv_step.h"
#include "ops/depthwise.h"
#include "ops/ops.h"
#include "ops/pack_weights.h"

namespace sightglass {

namespace {

constexpr int32_t kSpatialKernel = 3, kMostStride = 2, kMostOutputSlices = 4;

ShaderKey depthwise_pointwise_shader(int32_t stride_h, int32_t rows, int32_t slices) {
  return {"depthwise_pointwise.comp",
          {{"STRIDE_H", std::to_string(stride_h)}, {"ROWS", std::to_string(rows)}, {"SLICES", std::to_string(slices)}}};
}

// Range of values after the activation: lowest and highest.
std::array<float, 2> range_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return {0, std::numeric_limits<float>::infinity()};
    case Activation::kRelu6:
      return {0, 6};
    default:
      return {-1, 1};
  }
}

bool clamps(Activation activation) {
  return activation == Activation::kRelu || activation == Activation::kRelu6 || activation == Activation::kReluN1To1;
}

Status check_depthwise(const Graph& graph, const Node& node) {
  const auto& [attr, between] = std::get<DepthwisePointwiseAttr>(node.attributes);
  const Shape& weights = graph.value(node.inputs[kDepthwiseWeights]).shape;
  for (const size_t input : {kDepthwiseWeights, kDepthwiseBias}) {
    const bool present = input < node.inputs.size() && node.inputs[input] != kNone;
    if (present && !graph.is_constant(node.inputs[input])) return unsupported("depthwise weights that are computed");
  }
  if (weights.dim(1) != kSpatialKernel || weights.dim(2) != kSpatialKernel)
    return unsupported("a depthwise kernel that is not 3x3");
  if (attr.stride_h > kMostStride || (attr.stride_h > 1 && attr.dilation_h > 1)) {
    return unsupported("a depthwise stride above 2, or with a dilation");
  }
  if (between != Activation::kNone && !clamps(between)) {
    return unsupported(std::string("the activation ") + to_string(between) + " between the convolutions");
  }
  return {};
}

Status supports_depthwise_pointwise(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(0)));
  if (weights.dim(0) > kMostOutputSlices * 4) {
    return unsupported("more than " + std::to_string(kMostOutputSlices * 4) + " output channels");
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_depthwise(context.graph, node));
  constexpr int64_t kIterations = 64;  // per slice of the data, with the largest tile
  const int64_t limit = context.limits.max_loop_iterations, slices = (weights.dim(3) + 3) / 4;
  if (limit > 0 && slices * kIterations > limit) return unsupported(std::to_string(weights.dim(3)) + " channels");
  return {};
}

Status emit_depthwise_pointwise(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& [attr, between] = std::get<DepthwisePointwiseAttr>(node.attributes);
  const Graph& graph = emitter.graph();
  // The weights of both convolutions are one block of constants with one storage.
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  std::vector<float> weights =
      pack_conv_weights({out.shape.c, 1, 1, in.shape.c, conv_weights(graph, node, quantization)});
  const auto first = static_cast<int32_t>(weights.size() / 4);
  std::ranges::copy(
      pack_depthwise_weights(graph.floats(node.inputs[kDepthwiseWeights]), kSpatialKernel * kSpatialKernel, in.shape.c),
      std::back_inserter(weights));
  ConvConstants constants = add_conv_constants(emitter, node, quantization, weights, out.shape.c);
  std::vector<float> bias;
  if (node.inputs.size() > kDepthwiseBias && node.inputs[kDepthwiseBias] != kNone) {
    bias = graph.floats(node.inputs[kDepthwiseBias]);
  }
  bias.resize(static_cast<size_t>(in.shape.slices()) * 4, 0.0f);
  const int32_t depthwise_bias = emitter.add_constants(bias);
  if (const ValueId residual = residual_of(node); residual != kNone) {
    SIGHTGLASS_ASSIGN_OR_RETURN(constants.residual, emitter.tensor(residual));
  }
  constexpr int64_t kInvocations = 512;  // enough work for a GPU
  const DepthwiseTile most{emitter.context().limits.kernels.depthwise_pointwise_rows};
  const DepthwiseTile usual = choose_tile(out.shape, out.shape.b, attr, most, kInvocations);
  const std::string geometry =
      "stride " + sides(attr.stride_h, attr.stride_w) + " dilation " + sides(attr.dilation_h, attr.dilation_w);
  const std::string step = tuned_step(emitter, "depthwise-pointwise", in, out, geometry, constants);
  const auto [variant, choice] = emitter.choose_variant(step, rows_variants(emitter, usual, most.columns));
  StepParams params;
  params.tensor(in).tensor(out);
  params.ints(attr.stride_w, clamps(between) ? 1 : 0);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope);
  params.ints(constants.weights + first, depthwise_bias);
  const auto [lowest, highest] = range_of(between);
  params.floats(lowest, highest);
  return add_conv_step(emitter, depthwise_pointwise_shader(attr.stride_h, variant.tile.rows, out.shape.slices()),
                       std::move(params), depthwise_rows_grid(out.shape, out.shape.b, attr, variant.tile), in, out,
                       constants, choice, emitter.context().limits.kernels.half.products);
}

std::vector<ShaderKey> depthwise_pointwise_variants() {
  std::vector<ShaderKey> keys;
  for (int32_t stride = 1; stride <= kMostStride; ++stride) {
    for (const int32_t rows : kRowTiles) {
      for (int32_t slices = 1; slices <= kMostOutputSlices; ++slices)
        keys.push_back(depthwise_pointwise_shader(stride, rows, slices));
    }
  }
  return residual_variants(keys);
}

}  // namespace

Kernel depthwise_pointwise_kernel() {
  return {"depthwise-pointwise", OpType::kDepthwisePointwise, supports_depthwise_pointwise, emit_depthwise_pointwise,
          depthwise_pointwise_variants};
}

}  // namespace sightglass

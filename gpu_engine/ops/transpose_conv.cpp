#include <algorithm>
#include <iterator>

#include "ops/conv_constants.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

ShaderKey transpose_conv_shader(int32_t slices) {
  return {"transpose_conv.comp", {{"SLICES", std::to_string(slices)}}};
}

ShaderKey blocks_shader(int32_t slices) { return {"transpose_conv_2x2.comp", {{"SLICES", std::to_string(slices)}}}; }

const ShaderKey kSingleShader{"transpose_conv_2x2_single.comp", {}};

// The weights of a convolution with half the kernel, whose four channels are the 2 x 2 outputs of a block. The kernel
// has even sides and one output channel.
ConvWeights phases_as_channels(const ConvWeights& dense) {
  ConvWeights phases{4, dense.kernel_h / 2, dense.kernel_w / 2, dense.in_channels, {}};
  for (int32_t phase = 0; phase < 4; ++phase) {
    for (int32_t y = phase / 2; y < dense.kernel_h; y += 2) {
      for (int32_t x = phase % 2; x < dense.kernel_w; x += 2) {
        const auto first = dense.values.begin() + (int64_t{y} * dense.kernel_w + x) * dense.in_channels;
        phases.values.insert(phases.values.end(), first, first + dense.in_channels);
      }
    }
  }
  return phases;
}

// Number of output pairs, including padding, that contain the outputs.
int32_t pairs(int32_t size, int32_t padding) { return (size + padding - 1) / 2 - padding / 2 + 1; }

Status supports_transpose_conv(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  return check_conv_constants(context.graph, node, weights.dim(0));
}

Status emit_transpose_conv(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<TransposeConvAttr>(node.attributes);
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  const ConvWeights dense{out.shape.c, weights.dim(1), weights.dim(2), in.shape.c,
                          conv_weights(emitter.graph(), node, quantization)};
  const bool in_blocks = attr.stride_h == 2 && attr.stride_w == 2;
  const bool is_single = in_blocks && out.shape.c == 1 && quantization.sums == Sums::kReal && dense.kernel_h % 2 == 0 &&
                         dense.kernel_w % 2 == 0;
  const ConvConstants constants = add_conv_constants(
      emitter, node, quantization, pack_conv_weights(is_single ? phases_as_channels(dense) : dense), out.shape.c);
  const bool half = emitter.context().limits.kernels.half.window_products;
  if (in_blocks) {
    // Four sums per slice: registers have room for two slices, and on a Mali for one slice of integers.
    const KernelDefaults& kernels = emitter.context().limits.kernels;
    const int32_t most = quantization.sums == Sums::kRequantized ? kernels.requantized.slices : 2;
    const int32_t slices = most >= 2 && out.shape.slices() % 2 == 0 ? 2 : 1;
    const int32_t slice_groups = out.shape.slices() / slices;
    const int32_t columns = pairs(out.shape.w, attr.padding.left), rows = pairs(out.shape.h, attr.padding.top);
    if (is_single) {
      auto params = StepParams({in, out}).ints(dense.kernel_w / 2, dense.kernel_h / 2, rows);
      params.ints(attr.padding.left, attr.padding.top, 0, columns);
      params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
      const Grid grid{int64_t{columns} * rows, out.shape.b};
      return add_conv_step(emitter, {kSingleShader, std::move(params), grid, in, out, constants, {}, half});
    }
    auto params = StepParams({in, out}).ints(dense.kernel_w, dense.kernel_h, rows);
    params.ints(attr.padding.left, attr.padding.top, slice_groups, columns);
    params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
    const Grid grid{int64_t{columns} * rows, int64_t{out.shape.b} * slice_groups};
    return add_conv_step(emitter, {blocks_shader(slices), std::move(params), grid, in, out, constants, {}, half});
  }
  const int32_t slices = out.shape.slices() % 4 == 0 ? 4 : out.shape.slices() % 2 == 0 ? 2 : 1;
  const int32_t slice_groups = out.shape.slices() / slices;
  StepParams params({in, out});
  params.ints(dense.kernel_w, dense.kernel_h, attr.stride_w, attr.stride_h);
  params.ints(attr.padding.left, attr.padding.top, slice_groups);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * slice_groups};
  return add_conv_step(emitter, {transpose_conv_shader(slices), std::move(params), grid, in, out, constants, {}, half});
}

std::vector<ShaderKey> transpose_conv_variants() {
  std::vector<ShaderKey> keys = conv_variants({transpose_conv_shader(1), transpose_conv_shader(2),
                                               transpose_conv_shader(4), blocks_shader(1), blocks_shader(2)},
                                              false);
  std::ranges::move(storage_variants({kSingleShader}, "AOW"), std::back_inserter(keys));
  return keys;
}

}  // namespace

std::vector<Kernel> transpose_conv_kernels(OpType) {
  return {{"transpose-conv", supports_transpose_conv, emit_transpose_conv, transpose_conv_variants,
           "constant weights and bias"}};
}

}  // namespace sightglass

#include "ops/depthwise.h"

#include <algorithm>
#include <iterator>

#include "ops/conv_constants.h"
#include "ops/conv_step.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey depthwise_shader(int32_t pixels, bool multiplier) {
  ShaderKey key{"depthwise.comp", {{"PIXELS", std::to_string(pixels)}}};
  if (multiplier) key.defines.push_back({"MULTIPLIER", "1"});
  return key;
}

// Square kernels whose adjacent outputs share inputs. Shaders are compiled for a register tile.
constexpr int32_t kRowKernels[] = {3, 5}, kRowStrides[] = {1, 2};

bool shares_rows(const DepthwiseConv2dAttr& attr, int32_t kernel_h, int32_t kernel_w) {
  return attr.multiplier == 1 && kernel_h == kernel_w &&
         std::ranges::find(kRowKernels, kernel_h) != std::end(kRowKernels) &&
         std::ranges::find(kRowStrides, attr.stride_h) != std::end(kRowStrides) &&
         (attr.stride_h == 1 || attr.dilation_h == 1);
}

// What depthwise_rows.comp needs for more than one column. On llvmpipe, columns of larger kernels gain nothing.
constexpr int32_t kColumnKernel = 3;

int32_t most_columns(int32_t kernel, const DepthwiseConv2dAttr& attr) {
  const bool possible = attr.stride_w == attr.stride_h && (attr.stride_w == 1 || attr.dilation_w == 1);
  return possible && kernel == kColumnKernel ? kColumnTiles.back() : 1;
}

ShaderKey rows_shader(int32_t kernel, int32_t stride_h, const DepthwiseTile& tile) {
  return {"depthwise_rows.comp",
          {{"KERNEL", std::to_string(kernel)},
           {"STRIDE_H", std::to_string(stride_h)},
           {"ROWS", std::to_string(tile.rows)},
           {"COLUMNS", std::to_string(tile.columns)}}};
}

std::string geometry_of(const Shape& weights, const DepthwiseConv2dAttr& attr) {
  return "kernel " + sides(weights.dim(1), weights.dim(2)) + " stride " + sides(attr.stride_h, attr.stride_w) +
         " dilation " + sides(attr.dilation_h, attr.dilation_w);
}

Status check_window(const PlanContext& context, const Shape& weights) {
  const int64_t limit = context.limits.max_loop_iterations;
  if (limit > 0 && int64_t{weights.dim(1)} * (weights.dim(2) * 5 + 1) > limit) {
    return unsupported("a window of " + std::to_string(weights.dim(1)) + " × " + std::to_string(weights.dim(2)));
  }
  return {};
}

Status supports_depthwise(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(3)));
  return check_window(context, weights);
}

Status supports_computed_depthwise(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_computed_weights(context.graph, node, weights.dim(3)));
  return check_window(context, weights);
}

Status emit_depthwise_with_constants(Emitter& emitter, const Node& node, const ConvConstants& constants) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<DepthwiseConv2dAttr>(node.attributes);
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const int32_t kernel_h = weights.dim(1), kernel_w = weights.dim(2);
  StepParams params;
  params.tensor(in).tensor(out);
  params.ints(kernel_w, kernel_h, attr.stride_w, attr.stride_h);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  const int64_t area = int64_t{out.shape.h} * out.shape.w, layers = int64_t{out.shape.b} * out.shape.slices();
  if (!constants.computed && shares_rows(attr, kernel_h, kernel_w)) {
    constexpr int64_t kInvocations = 1024;  // enough work for a GPU
    const KernelDefaults& kernels = emitter.context().limits.kernels;
    const DepthwiseTile most{kernels.depthwise_rows, std::min(kernels.depthwise_columns, most_columns(kernel_h, attr))};
    const DepthwiseTile usual = choose_tile(out.shape, layers, attr, most, kInvocations);
    const std::string step = tuned_step(emitter, "depthwise", in, out, geometry_of(weights, attr), constants);
    const auto [variant, choice] =
        emitter.choose_variant(step, rows_variants(emitter, usual, most_columns(kernel_h, attr)));
    return add_conv_step(emitter, rows_shader(kernel_h, attr.stride_h, variant.tile), std::move(params),
                         depthwise_rows_grid(out.shape, layers, attr, variant.tile), in, out, constants, choice);
  }
  params.ints(attr.multiplier);
  const int32_t pixels = area * layers >= int64_t{16} * 64 * 2 ? 2 : 1;
  return add_conv_step(emitter, depthwise_shader(pixels, attr.multiplier != 1), std::move(params),
                       Grid{area, layers, 64, 1, pixels}, in, out, constants);
}

Status emit_depthwise(Emitter& emitter, const Node& node) {
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const int32_t taps = weights.dim(1) * weights.dim(2), channels = weights.dim(3);
  const ConvQuantization quantization = conv_quantization(emitter, node, channels);
  const std::vector<float> packed =
      pack_depthwise_weights(conv_weights(emitter.graph(), node, quantization), taps, channels);
  return emit_depthwise_with_constants(emitter, node,
                                       add_conv_constants(emitter, node, quantization, packed, channels));
}

Status emit_computed_depthwise(Emitter& emitter, const Node& node) {
  const int32_t channels = emitter.graph().value(node.inputs[1]).shape.dim(3);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ConvConstants constants, add_computed_weights(emitter, node, channels));
  return emit_depthwise_with_constants(emitter, node, constants);
}

std::vector<ShaderKey> shaders() {
  return {depthwise_shader(1, false), depthwise_shader(2, false), depthwise_shader(1, true), depthwise_shader(2, true)};
}
std::vector<ShaderKey> depthwise_variants() {
  std::vector<ShaderKey> keys = shaders();
  for (const int32_t kernel : kRowKernels) {
    for (const int32_t stride_h : kRowStrides) {
      for (const int32_t rows : kRowTiles) {
        for (const int32_t columns : kColumnTiles) {
          if (columns == 1 || kernel == kColumnKernel) keys.push_back(rows_shader(kernel, stride_h, {rows, columns}));
        }
      }
    }
  }
  return conv_variants(keys, true);
}
std::vector<ShaderKey> computed_depthwise_variants() { return computed_variants(shaders()); }

}  // namespace

std::vector<float> pack_depthwise_weights(const std::vector<float>& dense, int32_t taps, int32_t channels) {
  std::vector<float> packed(static_cast<size_t>((channels + 3) / 4) * taps * 4, 0.0f);
  for (int32_t tap = 0; tap < taps; ++tap) {
    for (int32_t c = 0; c < channels; ++c) {
      packed[(static_cast<size_t>(c / 4) * taps + tap) * 4 + c % 4] = dense[static_cast<size_t>(tap) * channels + c];
    }
  }
  return packed;
}

Grid depthwise_rows_grid(const Bhwc& out, int64_t layers, const DepthwiseConv2dAttr& attr, const DepthwiseTile& tile) {
  const auto tiles = [](int32_t size, int32_t of_tile, int32_t dilation) {
    const int32_t block = of_tile * dilation;
    return (size + block - 1) / block * dilation;
  };
  const int32_t across = tile.columns == 1 ? out.w : tiles(out.w, tile.columns, attr.dilation_w);
  return {int64_t{across} * tiles(out.h, tile.rows, attr.dilation_h), layers};
}

DepthwiseTile choose_tile(const Bhwc& out, int64_t layers, const DepthwiseConv2dAttr& attr, const DepthwiseTile& most,
                          int64_t invocations) {
  DepthwiseTile best;
  const auto count = [&](const DepthwiseTile& tile) {
    const Grid grid = depthwise_rows_grid(out, layers, attr, tile);
    return grid.x * grid.z;
  };
  for (const int32_t rows : kRowTiles) {
    if (rows <= most.rows && count({rows, 1}) >= invocations) best.rows = rows;
  }
  for (const int32_t columns : kColumnTiles) {
    const DepthwiseTile tile{best.rows, columns};
    // With dilations wider than the image, tiles save nothing.
    if (columns <= most.columns && count(tile) >= invocations && count(tile) < count(best)) best = tile;
  }
  return best;
}

std::string RowsVariant::name() const {
  return "ROWS=" + std::to_string(tile.rows) +
         (tile.columns > 1 ? " COLUMNS=" + std::to_string(tile.columns) : std::string()) + " " + name_of(reads);
}

std::vector<RowsVariant> rows_variants(const Emitter& emitter, const DepthwiseTile& usual, int32_t most_columns) {
  const Reads reads = emitter.usual_reads();
  std::vector<RowsVariant> variants{{usual, reads}};
  if (const std::optional<Reads> other = emitter.other_reads()) variants.push_back({usual, *other});
  for (const int32_t columns : kColumnTiles) {
    for (const int32_t rows : kRowTiles) {
      const DepthwiseTile tile{rows, columns};
      if (columns <= most_columns && tile != usual) variants.push_back({tile, reads});
    }
  }
  return variants;
}

Kernel depthwise_kernel() {
  return {"depthwise", OpType::kDepthwiseConv2d, supports_depthwise, emit_depthwise, depthwise_variants};
}

Kernel depthwise_computed_kernel() {
  return {"depthwise-computed",    OpType::kDepthwiseConv2d,    supports_computed_depthwise,
          emit_computed_depthwise, computed_depthwise_variants, kComputedLimits};
}

}  // namespace sightglass

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_constants.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

// [C/4][taps] vec4, from [1, kh, kw, C].
std::vector<float> pack_depthwise_weights(const std::vector<float>& dense, int32_t taps, int32_t channels);

// Outputs of one invocation.
struct DepthwiseTile {
  int32_t rows = 1, columns = 1;
  bool operator==(const DepthwiseTile&) const = default;
};

// Possible numbers of them.
inline constexpr std::array<int32_t, 3> kRowTiles{1, 2, 4};
inline constexpr std::array<int32_t, 2> kColumnTiles{1, 2};

// A grid in which an invocation computes a tile of a layer. Its outputs are apart by the dilation, so that tiles
// interleave.
Grid depthwise_rows_grid(const Bhwc& out, int64_t layers, const DepthwiseConv2dAttr& attr, const DepthwiseTile& tile);

// The largest tile, up to `most`, that leaves at least `invocations` invocations.
DepthwiseTile choose_tile(const Bhwc& out, int64_t layers, const DepthwiseConv2dAttr& attr, const DepthwiseTile& most,
                          int64_t invocations);

// A register tile, and the read method of the step.
struct RowsVariant {
  DepthwiseTile tile;
  Reads reads = Reads::kStorageBlocks;
  std::string name() const;
};

// The default tile, then plausible alternatives, with up to `most_columns`.
std::vector<RowsVariant> rows_variants(const Emitter& emitter, const DepthwiseTile& usual, int32_t most_columns);

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
  if (has_more_operands(node)) return unsupported("it reads other tensors");
  return check_window(context, weights);
}

Status emit_depthwise_with_constants(Emitter& emitter, const Node& node, const TensorRef& in, const TensorRef& out,
                                     const ConvConstants& constants) {
  const auto& attr = std::get<DepthwiseConv2dAttr>(node.attributes);
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const int32_t kernel_h = weights.dim(1), kernel_w = weights.dim(2);
  StepParams params({in, out});
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
    return add_conv_step(emitter,
                         {rows_shader(kernel_h, attr.stride_h, variant.tile), std::move(params),
                          depthwise_rows_grid(out.shape, layers, attr, variant.tile), in, out, constants, choice});
  }
  params.ints(attr.multiplier);
  const int32_t pixels = area * layers >= int64_t{16} * 64 * 2 ? 2 : 1;
  return add_conv_step(emitter, {depthwise_shader(pixels, attr.multiplier != 1), std::move(params),
                                 Grid{area, layers, 64, 1, pixels}, in, out, constants});
}

Status emit_depthwise_to(Emitter& emitter, const Node& node, const TensorRef& out) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const int32_t taps = weights.dim(1) * weights.dim(2), channels = weights.dim(3);
  const ConvQuantization quantization = conv_quantization(emitter, node, channels);
  const std::vector<float> packed =
      pack_depthwise_weights(conv_weights(emitter.graph(), node, quantization), taps, channels);
  ConvConstants constants = add_conv_constants(emitter, node, quantization, packed, channels);
  SIGHTGLASS_RETURN_IF_ERROR(add_operands(emitter, node, constants));
  return emit_depthwise_with_constants(emitter, node, in, out, constants);
}

Status emit_depthwise(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  return emit_depthwise_to(emitter, node, out);
}

Status emit_computed_depthwise(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const int32_t channels = emitter.graph().value(node.inputs[1]).shape.dim(3);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ConvConstants constants, add_computed_weights(emitter, node, channels));
  return emit_depthwise_with_constants(emitter, node, in, out, constants);
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
  std::vector<ShaderKey> variants = conv_variants(keys, true);
  std::ranges::move(integer_residual_variants(keys, Operand::kResidual), std::back_inserter(variants));
  std::ranges::move(operand_variants(keys, {{Operand::kResidual}, {Operand::kLastResidual}}),
                    std::back_inserter(variants));
  return variants;
}
std::vector<ShaderKey> computed_depthwise_variants() { return computed_variants(shaders()); }

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

}  // namespace

std::vector<Kernel> depthwise_kernels(OpType) {
  return {{"depthwise", supports_depthwise, emit_depthwise, depthwise_variants},
          {"depthwise-computed", supports_computed_depthwise, emit_computed_depthwise, computed_depthwise_variants,
           kComputedLimits}};
}

// A DEPTHWISE_CONV_2D and the 1×1 CONV_2D that reads it: in one step if that is worthwhile, otherwise in two.

namespace {

constexpr int32_t kMostStride = 2;
// Without groups of slices, no depthwise work is repeated. With more than kFewOutputs, a tile has fewer pixels, and
// each weight serves fewer of them: only in small images, and if there are not more channels of data than outputs.
constexpr int32_t kFewOutputs = 16, kMostOutputs = 32;
constexpr int64_t kSmallImage = 3000;
// One invocation sums over the channels of the data, so their number is bounded; and there must be enough invocations.
constexpr int32_t kMostChannels = 256;
constexpr int64_t kFewestPixels = 256;
// Sums of an invocation: more would not fit into the registers.
constexpr int32_t kMostSums = 16;
// On processors, lanes idle in images of up to kTinyImage pixels. In others, sums in memory cost no more than a step.
constexpr int64_t kTinyImage = 36, kModerateImage = 1024, kGroupedPixels = 512, kWidePixels = 64;
constexpr int32_t kNarrowSlices = 8, kTinySlices = 8, kWideSlices[] = {10, 12, 14, 16, 24}, kProcessorGroup = 8;

int32_t most_rows(int32_t slices) {
  int32_t most = 1;
  for (const int32_t rows : kRowTiles) {
    if (rows * slices <= kMostSums) most = rows;
  }
  return most;
}

// The tile of an invocation, and the work group.
struct PairTile {
  int32_t rows = 1, slices = 1, group = kKernelInvocations;
};

struct Pair {
  DepthwiseConv2dAttr attr;
  Bhwc sums;  // as if they were not spread
  int32_t kernel = 0, channels = 0;
  bool spread = false;
};

Pair pair_of(const Graph& graph, const Node& node) {
  const auto& attr = std::get<DepthwisePointwiseAttr>(node.attributes);
  Bhwc sums = Bhwc::from(graph.value(node.outputs[0]).shape);
  if (attr.spread) sums = {sums.b, sums.h / 2, sums.w / 2, 4};
  const Shape& weights = graph.value(node.inputs[kDepthwiseWeights]).shape;
  return {attr.depthwise, sums, weights.dim(1), weights.dim(3), attr.spread};
}

// Multiply-adds of vec4 per slice of the data, and for `slices` output slices of all pixels. A load takes as long as
// four of them, as in conv2d.cpp.
int64_t cost_of(const Pair& pair, const PairTile& tile) {
  constexpr int64_t kLoad = 4;
  const int64_t taps = int64_t{pair.kernel} * pair.kernel,
                groups = (pair.sums.slices() + tile.slices - 1) / tile.slices;
  const int64_t loaded_rows = int64_t{tile.rows - 1} * pair.attr.stride_h + pair.kernel;
  const int64_t loads = loaded_rows * pair.kernel + taps + 4 * tile.slices;
  const int64_t blocks = (pair.sums.h + tile.rows - 1) / tile.rows;
  return pair.sums.w * blocks * groups * (kLoad * loads + tile.rows * (taps + 4 * tile.slices));
}

// The tile with which a processor computes pairs of many outputs; none if two steps are faster. `most`: sums.
std::optional<PairTile> processor_tile(const Pair& pair, int32_t most) {
  const int64_t pixels = int64_t{pair.sums.h} * pair.sums.w;
  const int32_t slices = pair.sums.slices();
  if (most == 0 || pixels > kModerateImage) return std::nullopt;
  if (pixels <= kTinyImage) return PairTile{1, std::min(slices, kTinySlices), kProcessorGroup};
  // Groups repeat the work of the depthwise kernel: only of small ones, and in few pixels.
  const int64_t most_groups = pair.kernel == 3 ? std::clamp<int64_t>(kGroupedPixels / pixels, 1, 4) : 1;
  std::optional<PairTile> best;
  for (const int32_t rows : {4, 2}) {
    for (int32_t groups = 1; groups <= most_groups; ++groups) {
      const int32_t needed = (slices + groups - 1) / groups;
      const auto* const wide = std::ranges::lower_bound(kWideSlices, needed);
      const int32_t tile_slices = needed <= kNarrowSlices ? needed : wide == std::end(kWideSlices) ? most : *wide;
      const bool suits = rows == 4 ? tile_slices <= kNarrowSlices : pair.kernel == 5 || pixels <= kWidePixels;
      if (!suits || rows * tile_slices > most) continue;
      const PairTile tile{rows, tile_slices, kProcessorGroup};
      if (!best || cost_of(pair, tile) < cost_of(pair, *best)) best = tile;
    }
  }
  return best;
}

// The tile of the pair as one step, or the reason for two.
Result<PairTile> one_step(const PlanContext& context, const Pair& pair) {
  const int32_t outputs = pair.sums.c;
  const int64_t pixels = int64_t{pair.sums.b} * pair.sums.h * pair.sums.w;
  const bool few =
      outputs <= kFewOutputs || (outputs <= kMostOutputs && pair.channels <= outputs && pixels <= kSmallImage);
  const bool fits = pair.sums.slices() <= context.limits.kernels.depthwise_pointwise_slices;
  if (pair.kernel == 3 && few && fits && pair.channels <= kMostChannels && (pixels >= kFewestPixels || pair.spread)) {
    constexpr int64_t kInvocations = 512;  // enough work for a GPU
    const int32_t slices = pair.sums.slices();
    const DepthwiseTile most{std::min(context.limits.kernels.depthwise_pointwise_rows, most_rows(slices))};
    return PairTile{choose_tile(pair.sums, pair.sums.b, pair.attr, most, kInvocations).rows, slices};
  }
  const std::optional<PairTile> tile = processor_tile(pair, context.limits.kernels.depthwise_pointwise_sums);
  if (tile) return *tile;
  return unsupported("two steps are faster");
}

ShaderKey depthwise_pointwise_shader(int32_t kernel, int32_t stride_h, const PairTile& tile) {
  return {"depthwise_pointwise.comp",
          {{"LOCAL_X", std::to_string(tile.group)},
           {"KERNEL", std::to_string(kernel)},
           {"STRIDE_H", std::to_string(stride_h)},
           {"ROWS", std::to_string(tile.rows)},
           {"SLICES", std::to_string(tile.slices)}}};
}

const ShaderDefine kSpread{"SPREAD", "1"};

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

Status check_pair(const PlanContext& context, const Node& node) {
  const Graph& graph = context.graph;
  const Shape& weights = graph.value(node.inputs[kDepthwiseWeights]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(graph, node, graph.value(node.inputs[1]).shape.dim(0)));
  for (const size_t input : {kDepthwiseWeights, kDepthwiseBias}) {
    const bool present = input < node.inputs.size() && node.inputs[input] != kNone;
    if (present && !graph.is_constant(node.inputs[input])) return unsupported("depthwise weights that are computed");
  }
  if (addend_of(node) != kNone && residual_of(node) != kNone) return unsupported("both an addend and a residual");
  return check_window(context, weights);
}

Status supports_depthwise_pointwise(const PlanContext& context, const Node& node) {
  SIGHTGLASS_RETURN_IF_ERROR(check_pair(context, node));
  const Pair pair = pair_of(context.graph, node);
  const Activation between = std::get<DepthwisePointwiseAttr>(node.attributes).between;
  const bool square = context.graph.value(node.inputs[kDepthwiseWeights]).shape.dim(2) == pair.kernel;
  if (!square || std::ranges::find(kRowKernels, pair.kernel) == std::end(kRowKernels)) {
    return unsupported("a depthwise kernel that is not 3x3 or 5x5");
  }
  if (pair.attr.stride_h > kMostStride || (pair.attr.stride_h > 1 && pair.attr.dilation_h > 1)) {
    return unsupported("a depthwise stride above 2, or with a dilation");
  }
  if (between != Activation::kNone && !clamps(between)) {
    return unsupported(std::string("the activation ") + to_string(between) + " between the convolutions");
  }
  constexpr int64_t kIterations = 256;  // per slice of the data, with the largest tile
  const int64_t limit = context.limits.max_loop_iterations, slices = (pair.channels + 3) / 4;
  if (limit > 0 && slices * kIterations > limit) return unsupported(std::to_string(pair.channels) + " channels");
  return one_step(context, pair).status();
}

// The depthwise convolution of the pair as a node of its own. The addend follows its activation.
Node first_of_pair(const Node& node) {
  const auto& attr = std::get<DepthwisePointwiseAttr>(node.attributes);
  Node first = node;
  first.op = OpType::kDepthwiseConv2d;
  first.attributes = attr.depthwise;
  first.activation = attr.between;
  const ValueId bias = kDepthwiseBias < node.inputs.size() ? node.inputs[kDepthwiseBias] : kNone;
  first.inputs = {node.inputs[0], node.inputs[kDepthwiseWeights], bias, kNone, addend_of(node)};
  first.residual_last = addend_of(node) != kNone;
  first.residual_sampling = ResidualSampling::kNone;
  return first;
}

Status supports_two_steps(const PlanContext& context, const Node& node) {
  if (std::get<DepthwisePointwiseAttr>(node.attributes).spread) return unsupported("sums that are spread");
  return check_pair(context, node);
}

Status emit_two_steps(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  Bhwc shape = out.shape;
  shape.c = in.shape.c;
  const TensorRef between = emitter.temporary("data of " + emitter.graph().value(node.outputs[0]).name, shape, in);
  SIGHTGLASS_RETURN_IF_ERROR(emit_depthwise_to(emitter, first_of_pair(node), between));
  Node second = node;
  second.op = OpType::kConv2d;
  second.attributes = Conv2dAttr{};
  second.inputs.resize(kResidualInput + 1);
  return emit_pointwise(emitter, second, between, out);
}

Status emit_depthwise_pointwise(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Graph& graph = emitter.graph();
  const Pair pair = pair_of(graph, node);
  const DepthwiseConv2dAttr& attr = pair.attr;
  const Activation between = std::get<DepthwisePointwiseAttr>(node.attributes).between;
  SIGHTGLASS_ASSIGN_OR_RETURN(const PairTile usual, one_step(emitter.context(), pair));
  // The weights of both convolutions are one block of constants with one storage.
  const ConvQuantization quantization = conv_quantization(emitter, node, pair.sums.c);
  std::vector<float> weights =
      pack_conv_weights({pair.sums.c, 1, 1, in.shape.c, conv_weights(graph, node, quantization)});
  const auto first = static_cast<int32_t>(weights.size() / 4);
  std::ranges::copy(
      pack_depthwise_weights(graph.floats(node.inputs[kDepthwiseWeights]), pair.kernel * pair.kernel, in.shape.c),
      std::back_inserter(weights));
  ConvConstants constants = add_conv_constants(emitter, node, quantization, weights, pair.sums.c);
  std::vector<float> bias;
  if (node.inputs.size() > kDepthwiseBias && node.inputs[kDepthwiseBias] != kNone) {
    bias = graph.floats(node.inputs[kDepthwiseBias]);
  }
  bias.resize(static_cast<size_t>(in.shape.slices()) * 4, 0.0f);
  const int32_t depthwise_bias = emitter.add_constants(bias);
  SIGHTGLASS_RETURN_IF_ERROR(add_operands(emitter, node, constants));
  const std::string geometry = "kernel " + sides(pair.kernel, pair.kernel) + " stride " +
                               sides(attr.stride_h, attr.stride_w) + " dilation " +
                               sides(attr.dilation_h, attr.dilation_w) + (pair.spread ? " spread" : "");
  const std::string step = tuned_step(emitter, "depthwise-pointwise", in, out, geometry, constants);
  const bool in_groups = usual.group == kProcessorGroup;
  std::vector<RowsVariant> variants = rows_variants(emitter, {usual.rows}, 1);
  std::erase_if(variants, [&](const RowsVariant& v) {
    return v.tile.rows != usual.rows && (in_groups || v.tile.rows > most_rows(usual.slices));
  });
  const auto [variant, choice] = emitter.choose_variant(step, variants);
  const PairTile tile{variant.tile.rows, usual.slices, usual.group};
  const int32_t groups = (pair.sums.slices() + tile.slices - 1) / tile.slices;
  StepParams params({in, out});
  params.ints(attr.stride_w, clamps(between) ? 1 : 0, pair.kernel);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope);
  params.ints(constants.weights + first, depthwise_bias, groups);
  const auto [lowest, highest] = range_of(between);
  params.floats(lowest, highest);
  ShaderKey shader = depthwise_pointwise_shader(pair.kernel, attr.stride_h, tile);
  if (pair.spread) shader.defines.push_back(kSpread);
  Grid grid = depthwise_rows_grid(pair.sums, int64_t{pair.sums.b} * groups, attr, {tile.rows});
  grid.local_x = tile.group;
  return add_conv_step(emitter, {std::move(shader), std::move(params), grid, in, out, constants, choice,
                                 emitter.context().limits.kernels.half.products});
}

std::vector<ShaderKey> depthwise_pointwise_variants() {
  std::vector<ShaderKey> keys, spread;
  for (int32_t stride = 1; stride <= kMostStride; ++stride) {
    for (const int32_t rows : kRowTiles) {
      for (int32_t slices = 1; slices <= kMostOutputs / 4; ++slices) {
        if (rows <= most_rows(slices)) keys.push_back(depthwise_pointwise_shader(3, stride, {rows, slices}));
      }
      spread.push_back(depthwise_pointwise_shader(3, stride, {rows, 1}));
      spread.back().defines.push_back(kSpread);
    }
    for (const int32_t kernel : kRowKernels) {
      const auto add = [&](int32_t rows, int32_t slices) {
        keys.push_back(depthwise_pointwise_shader(kernel, stride, {rows, slices, kProcessorGroup}));
      };
      for (int32_t slices = 1; slices <= kTinySlices; ++slices) add(1, slices);
      for (int32_t slices = 1; slices <= kNarrowSlices; ++slices) {
        add(2, slices);
        add(4, slices);
      }
      for (const int32_t slices : kWideSlices) add(2, slices);
    }
  }
  std::vector<ShaderKey> variants = storage_variants(keys, "AOW");
  std::ranges::move(operand_variants(keys, {{Operand::kResidual},
                                            {Operand::kLastResidual},
                                            {Operand::kPooledResidual},
                                            {Operand::kResizedResidual},
                                            {Operand::kLastResizedResidual},
                                            {Operand::kAddend}}),
                    std::back_inserter(variants));
  std::ranges::move(storage_variants(spread, "AOW"), std::back_inserter(variants));
  std::ranges::move(operand_variants(spread, {{Operand::kAddend}}), std::back_inserter(variants));
  return variants;
}

// Of the two steps.
std::vector<ShaderKey> two_steps_variants() {
  std::vector<ShaderKey> variants = depthwise_variants();
  std::ranges::move(conv2d_variants(), std::back_inserter(variants));
  return variants;
}

}  // namespace

std::vector<Kernel> depthwise_pointwise_kernels(OpType) {
  return {{"depthwise-pointwise", supports_depthwise_pointwise, emit_depthwise_pointwise, depthwise_pointwise_variants},
          {"depthwise-then-pointwise", supports_two_steps, emit_two_steps, two_steps_variants}};
}

}  // namespace sightglass

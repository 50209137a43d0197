#include <algorithm>
#include <iterator>

#include "graph/stable_sort.h"
#include "kernel/tensors.h"
#include "ops/conv_constants.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

// CONV_2D, and FULLY_CONNECTED as a convolution.

namespace {

// Area of a tile that no GPU has as its default: registers are scarce for smaller ones.
constexpr int32_t kProcessorTile = 16;

// The register tile and the work group of one dispatch.
struct Tile {
  int32_t pixels = 1, slices = 1, local_x = 64, local_z = 1;
};

ShaderKey conv2d_shader(const Tile& tile, bool pointwise, bool one_channel) {
  ShaderKey key{"conv2d.comp",
                {{"LOCAL_X", std::to_string(tile.local_x)},
                 {"LOCAL_Z", std::to_string(tile.local_z)},
                 {"PIXELS", std::to_string(tile.pixels)},
                 {"SLICES", std::to_string(tile.slices)}}};
  if (one_channel) key.defines.push_back({"ONE_CHANNEL", "1"});
  if (pointwise) key.defines.push_back({"POINTWISE", "1"});
  return key;
}

// Invocations that compute something: whole work groups, and what the last one has left. A group of the size of the
// vectors of a processor is always whole.
int64_t busy_invocations(int64_t pixels, int32_t pixels_each, int32_t group) {
  constexpr int32_t kVector = 8;
  const int64_t tile = int64_t{pixels_each} * group, rest = pixels % tile;
  const int64_t last = group <= kVector && rest > 0 ? group : std::min<int64_t>(rest, group);
  return pixels / tile * group + last;
}

// Of one inner loop step of all invocations: multiply-adds of vec4, and loads, each as much as four of them. Wasted
// pixels and slices past the last one count too.
int64_t cost_of(const Tile& tile, int64_t pixels, int32_t slices) {
  const int64_t loads = tile.pixels + 4 * tile.slices, madds = int64_t{4} * tile.pixels * tile.slices;
  const int64_t groups = (slices + tile.slices - 1) / tile.slices;
  return busy_invocations(pixels, tile.pixels, tile.local_x) * groups * (4 * loads + madds);
}

// The tile with the lowest cost that keeps the device busy, up to the tile of the device family.
Tile choose_tile(const ConvTile& most, int32_t group, int64_t pixels, int32_t slices) {
  if (pixels < 8) return {1, 1, 1, 64};
  const int32_t most_pixels = pixels * slices >= int64_t{16} * group * 4 ? most.pixels : 1;
  Tile best;
  int64_t best_cost = INT64_MAX;
  for (int32_t p = most_pixels; p >= 1; p /= 2) {
    for (const int32_t s : {4, 2, 1}) {
      if (s > most.slices) continue;
      const Tile tile{p, s, group, 1};
      const int64_t cost = cost_of(tile, pixels, slices);
      if (cost < best_cost) {
        best_cost = cost;
        best = tile;
      }
    }
  }
  return best;
}

// A register tile and read method for one step.
struct Variant {
  Tile tile;
  Reads reads = Reads::kStorageBlocks;

  std::string name() const {
    return "PIXELS=" + std::to_string(tile.pixels) + " SLICES=" + std::to_string(tile.slices) +
           " LOCAL_X=" + std::to_string(tile.local_x) + " LOCAL_Z=" + std::to_string(tile.local_z) + " " +
           name_of(reads);
  }
};

// The default of the device family, then plausible alternatives. If registers are scarce, small tiles come first: a
// compiler may take half a minute for a tile that spills.
std::vector<Variant> variants_of(const Emitter& emitter, const ConvTile& most, int64_t pixels, int32_t slices) {
  const int32_t group = emitter.context().limits.kernels.conv_group;
  const Variant usual{choose_tile(most, group, pixels, slices), emitter.usual_reads()};
  std::vector<Variant> variants{usual};
  const auto add = [&](const Tile& tile) { variants.push_back({tile, usual.reads}); };
  if (const std::optional<Reads> other = emitter.other_reads()) variants.push_back({usual.tile, *other});
  if (usual.tile.local_x == 1) return variants;
  Tile tile = usual.tile;
  tile.local_x = 32;
  add(tile);
  std::vector<ConvTile> tiles{{4, 4}, {4, 2}, {4, 1}, {2, 4}, {2, 2}, {1, 4}};
  if (most.area() < kProcessorTile) {
    tiles.insert(tiles.end(), {{2, 1}, {1, 2}});
    stable_sort_by(tiles, &ConvTile::area);
  } else if (most.pixels >= 8) {
    tiles.insert(tiles.end(), {{8, 2}, {8, 4}, {16, 4}});
  }
  for (const auto& [p, s] : tiles) {
    if (s > slices || (p == usual.tile.pixels && s == usual.tile.slices)) continue;
    add({p, s, group, 1});
  }
  return variants;
}

struct Geometry {
  int32_t kernel_h = 1, kernel_w = 1;
  Conv2dAttr attr;
  bool pointwise() const {
    return kernel_h == 1 && kernel_w == 1 && attr.stride_h == 1 && attr.stride_w == 1 && attr.padding.top == 0 &&
           attr.padding.bottom == 0 && attr.padding.left == 0 && attr.padding.right == 0;
  }
  std::string name() const {
    return "kernel " + sides(kernel_h, kernel_w) + " stride " + sides(attr.stride_h, attr.stride_w) + " dilation " +
           sides(attr.dilation_h, attr.dilation_w) + (pointwise() ? " pointwise" : "");
  }
};

// The largest tile for a convolution of this much work: `usual`, except for large ones.
ConvTile tile_for_work(const KernelDefaults& kernels, const ConvTile& usual, const Bhwc& in, const Bhwc& out,
                       int32_t taps) {
  // On llvmpipe, such a step gains 0.1 ms per run, and its program takes some tenths of a second longer to compile.
  constexpr int64_t kManyMultiplyAdds = 14'500'000;
  const int64_t work = int64_t{out.h} * out.w * out.c * in.c * taps;
  return kernels.large && work >= kManyMultiplyAdds ? *kernels.large : usual;
}

// The largest tile for this convolution.
ConvTile largest_tile(const Emitter& emitter, const TensorRef& in, const TensorRef& out, const Geometry& g,
                      const ConvConstants& constants) {
  const KernelDefaults& kernels = emitter.context().limits.kernels;
  if (constants.quantization.sums == Sums::kRequantized) {
    return tile_for_work(kernels, kernels.requantized, in.shape, out.shape, g.kernel_h * g.kernel_w);
  }
  const ConvTile& usual = g.pointwise() ? emitter.defaults().pointwise : emitter.defaults().window;
  ConvTile most = tile_for_work(kernels, usual, in.shape, out.shape, g.kernel_h * g.kernel_w);
  // The data of four pixels would leave half of the threads of a Mali, for weights of which there are few. With factors
  // and an addend, they spill.
  const bool has_few_weights = out.shape.c == 1, has_much_data = most.slices == 1 && constants.gate && constants.addend;
  if ((has_few_weights || has_much_data) && most.area() < kProcessorTile) most.pixels = std::min(most.pixels, 2);
  return most;
}

Status emit_conv2d_with_constants(Emitter& emitter, const TensorRef& in, const TensorRef& out, const Geometry& g,
                                  const ConvConstants& constants) {
  const int64_t pixels = int64_t{out.shape.h} * out.shape.w;
  const ConvTile most = largest_tile(emitter, in, out, g, constants);
  const auto [variant, choice] = emitter.choose_variant(tuned_step(emitter, "conv2d", in, out, g.name(), constants),
                                                        variants_of(emitter, most, pixels, out.shape.slices()));
  const Tile& tile = variant.tile;
  const int32_t slice_groups = (out.shape.slices() + tile.slices - 1) / tile.slices;

  StepParams params({in, out});
  params.ints(g.kernel_w, g.kernel_h, g.attr.stride_w, g.attr.stride_h);
  params.ints(g.attr.dilation_w, g.attr.dilation_h, g.attr.padding.left, g.attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  params.ints(slice_groups);
  const Grid grid{pixels, int64_t{out.shape.b} * slice_groups, tile.local_x, tile.local_z, tile.pixels};
  const KernelDefaults::Half& half = emitter.context().limits.kernels.half;
  return add_conv_step(emitter, {conv2d_shader(tile, g.pointwise(), out.shape.c == 1), std::move(params), grid, in, out,
                                 constants, choice, g.pointwise() ? half.products : half.window_products});
}

Status emit_convolution(Emitter& emitter, const Node& node, const TensorRef& in, const TensorRef& out,
                        const Geometry& g) {
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  const ConvWeights weights{out.shape.c, g.kernel_h, g.kernel_w, in.shape.c,
                            conv_weights(emitter.graph(), node, quantization)};
  ConvConstants constants = add_conv_constants(emitter, node, quantization, pack_conv_weights(weights), out.shape.c);
  SIGHTGLASS_RETURN_IF_ERROR(add_operands(emitter, node, constants));
  return emit_conv2d_with_constants(emitter, in, out, g, constants);
}

// One invocation computes the reduction of one output.
Status check_loop(const PlanContext& context, int64_t taps, int64_t in_slices) {
  const int64_t limit = context.limits.max_loop_iterations;
  const int64_t iterations = taps * (in_slices + 2);
  if (limit > 0 && iterations > limit) {
    return unsupported("a reduction of " + std::to_string(iterations) + " steps; this device ends loops after " +
                       std::to_string(limit));
  }
  return {};
}

Status supports_conv2d(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(0)));
  const Bhwc in = Bhwc::from(context.graph.value(node.inputs[0]).shape);
  if (weights.dim(3) != in.c) {
    return unsupported("weights that take " + std::to_string(weights.dim(3)) + " of " + std::to_string(in.c) +
                       " channels");
  }
  if (addend_of(node) != kNone) {
    const Geometry geometry{weights.dim(1), weights.dim(2), std::get<Conv2dAttr>(node.attributes)};
    if (!geometry.pointwise()) return unsupported("data with an addend for a kernel that is not 1x1");
    if (residual_of(node) != kNone) return unsupported("both an addend and a residual");
  }
  if (node.residual_sampling != ResidualSampling::kNone) {
    const Geometry geometry{weights.dim(1), weights.dim(2), std::get<Conv2dAttr>(node.attributes)};
    if (!geometry.pointwise() || gate_of(node) != kNone)
      return unsupported("a sampled residual beside a window or a gate");
  }
  return check_loop(context, int64_t{weights.dim(1)} * weights.dim(2), in.slices());
}

Status emit_conv2d(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const Geometry geometry{weights.dim(1), weights.dim(2), std::get<Conv2dAttr>(node.attributes)};
  return emit_convolution(emitter, node, in, out, geometry);
}

// The view of the input for a fully connected layer. If a matrix row covers a whole image, the layer is a convolution
// with a kernel of the image size, and its weights are already in the right order. If it covers only the channels, it
// is a 1×1 convolution. Otherwise the input must be rearranged in memory first.
Bhwc fully_connected_view(const Bhwc& in, int32_t depth) {
  if (in.c == depth) return in;
  if (in.b == 1 && int64_t{in.h} * in.w * in.c == depth) return in;
  return {1, 1, static_cast<int32_t>(int64_t{in.b} * in.h * in.w * in.c / depth), depth};
}

Status supports_fully_connected(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(0)));
  const Bhwc in = Bhwc::from(context.graph.value(node.inputs[0]).shape);
  const Bhwc view = fully_connected_view(in, weights.dim(1));
  return check_loop(context, view.c == weights.dim(1) ? 1 : int64_t{view.h} * view.w, view.slices());
}

Status emit_fully_connected(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef out, emitter.tensor(node.outputs[0]));
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  Bhwc view = fully_connected_view(in.shape, weights.dim(1));
  // Quantization at run time is per batch, so rows must become batches.
  const bool dynamic = conv_quantization(emitter, node, weights.dim(0)).sums == Sums::kDynamic;
  if (dynamic && view != in.shape) view = {view.w, 1, 1, view.c};
  if (view != in.shape) {
    const TensorRef flat = emitter.temporary("flattened " + emitter.graph().value(node.inputs[0]).name, view, in);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, flat));
    in = flat;
  }
  Geometry geometry;
  if (view.c != weights.dim(1)) {
    geometry.kernel_h = view.h;
    geometry.kernel_w = view.w;
  }
  // The result has the layout of the view: pixels of the view by output channels. With one batch, a shape of another
  // rank is the same memory.
  const Bhwc result{view.b, geometry.kernel_h == 1 ? view.h : 1, geometry.kernel_w == 1 ? view.w : 1, weights.dim(0)};
  const TensorRef direct{out.tensor, result, out.scale};
  if (same_layout(result, out.shape)) {
    return emit_convolution(emitter, node, in, direct, geometry);
  }
  const TensorRef unshaped = emitter.temporary("unshaped " + emitter.graph().value(node.outputs[0]).name, result, out);
  SIGHTGLASS_RETURN_IF_ERROR(emit_convolution(emitter, node, in, unshaped, geometry));
  return emit_reshape(emitter, unshaped, out);
}

std::vector<ShaderKey> conv2d_shaders(std::initializer_list<bool> kinds = {false, true}) {
  std::vector<ShaderKey> keys;
  for (const bool pointwise : kinds) {
    for (const bool one_channel : {false, true}) {
      const auto add = [&](const Tile& tile) { keys.push_back(conv2d_shader(tile, pointwise, one_channel)); };
      add({1, 1, 1, 64});
      for (const int32_t local_x : {8, 32, 64}) {
        for (const int32_t pixels : {1, 2, 4, 8, 16}) {
          if (local_x == 64 && pixels >= 8) continue;  // only processors have such tiles, and small work groups
          for (const int32_t slices : {1, 2, 4}) {
            if (slices == 1 || !one_channel) add({pixels, slices, local_x, 1});
          }
        }
      }
    }
  }
  return keys;
}

std::vector<ShaderKey> fully_connected_variants() { return conv_variants(conv2d_shaders(), true); }

}  // namespace

std::vector<ShaderKey> conv2d_variants() {
  std::vector<ShaderKey> keys = fully_connected_variants();
  std::ranges::move(integer_residual_variants(conv2d_shaders(), Operand::kResidual), std::back_inserter(keys));
  std::ranges::move(integer_residual_variants(conv2d_shaders({true}), Operand::kPooledResidual),
                    std::back_inserter(keys));
  const auto add = [&](const std::vector<ShaderKey>& shaders, const std::vector<std::vector<Operand>>& operands) {
    std::ranges::move(operand_variants(shaders, operands), std::back_inserter(keys));
  };
  add(conv2d_shaders(), {{Operand::kResidual},
                         {Operand::kLastResidual},
                         {Operand::kGate},
                         {Operand::kResidual, Operand::kGate},
                         {Operand::kLastResidual, Operand::kGate}});
  add(conv2d_shaders({true}), {{Operand::kPooledResidual},
                               {Operand::kResizedResidual},
                               {Operand::kLastResizedResidual},
                               {Operand::kAddend},
                               {Operand::kGate, Operand::kAddend}});
  return keys;
}

int64_t conv2d_cost(const KernelDefaults& kernels, const Bhwc& in, const Bhwc& out, int32_t taps) {
  const ConvTile most = tile_for_work(kernels, kernels.fp32.window, in, out, taps);
  const int64_t pixels = int64_t{out.h} * out.w;
  return cost_of(choose_tile(most, kernels.conv_group, pixels, out.slices()), pixels, out.slices()) * taps *
         in.slices();
}

Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, std::vector<float> weights,
                      const std::vector<float>& bias) {
  for (float& w : weights) w *= in.scale.scale;
  ConvConstants constants;
  constants.storage = emitter.real_storage();
  constants.weights =
      emitter.add_constants(pack_conv_weights({out.shape.c, 1, 1, in.shape.c, std::move(weights)}), constants.storage);
  constants.bias = emitter.add_constants(bias);
  return emit_pointwise(emitter, in, out, constants);
}

Status emit_pointwise(Emitter& emitter, const Node& node, const TensorRef& in, const TensorRef& out) {
  return emit_convolution(emitter, node, in, out, {});
}

Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, const ConvConstants& constants) {
  return emit_conv2d_with_constants(emitter, in, out, {}, constants);
}

// CONV_2D with channel groups, or with computed weights or bias.

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
  if (has_more_operands(node)) return unsupported("it reads other tensors");
  return check_grouped_loop(context, weights);
}

Status supports_computed_conv2d(const PlanContext& context, const Node& node) {
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_computed_weights(context.graph, node, weights.dim(0)));
  if (has_more_operands(node)) return unsupported("it reads other tensors");
  return check_grouped_loop(context, weights);
}

Status emit_conv2d_grouped_with_constants(Emitter& emitter, const Node& node, const ConvConstants& constants) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Shape& weights = emitter.graph().value(node.inputs[1]).shape;
  const int32_t depth = weights.dim(3), groups = in.shape.c / depth;
  StepParams params({in, out});
  params.ints(weights.dim(2), weights.dim(1), attr.stride_w, attr.stride_h);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  params.ints(depth, out.shape.c / groups, (depth + 3) / 4);
  return add_conv_step(emitter, {kShader, std::move(params), Grid::over(out.shape), in, out, constants});
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

// The first convolution of a model, reading directly from the camera texture.

namespace {

// One invocation computes all output slices; more would exceed its registers.
constexpr int32_t kMaxSlices = 8;
// Pixels per invocation, which share loaded weights.
constexpr int32_t kMaxPixels = 4;

int32_t tile_pixels(int32_t slices, int32_t most) {
  int32_t pixels = kMaxPixels;
  while (pixels > 1 && pixels * slices > most) pixels /= 2;
  return pixels;
}

ShaderKey conv2d_texture_shader(int32_t pixels, int32_t slices) {
  return {"conv2d_texture.comp", {{"PIXELS", std::to_string(pixels)}, {"SLICES", std::to_string(slices)}}};
}

Status supports_conv2d_texture(const PlanContext& context, const Node& node) {
  if (!context.texture_input(node.inputs[0])) return unsupported("the input is not a texture");
  const Value& input = context.graph.value(node.inputs[0]);
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(0)));
  if (has_more_operands(node)) return unsupported("it reads other tensors");
  if (input.type != DataType::kFloat32) return unsupported("the input is quantized");
  if (input.users.size() != 1) return unsupported("the input has other readers");
  if (Bhwc::from(input.shape).c != 3 || weights.dim(3) != 3) return unsupported("not three channels");
  if (Bhwc::from(input.shape).b != 1) return unsupported("several images");
  const int32_t most = 4 * std::min(kMaxSlices, context.limits.kernels.texture_slices);
  if (most == 0) return unsupported("this device samples frames into a tensor first");
  if (weights.dim(0) > most) return unsupported("more than " + std::to_string(most) + " output channels");
  return {};
}

// Folds the normalization into the weights: a sum over scale * sample + offset is a sum over samples with scaled
// weights, plus the contribution of the offsets at every pixel inside the tensor, which becomes the weight of the
// fourth lane.
ConvWeights fold_normalization(const ConvWeights& w, const InputSpec& spec) {
  ConvWeights folded{w.out_channels, w.kernel_h, w.kernel_w, 4, {}};
  const size_t taps = w.values.size() / 3;
  folded.values.reserve(taps * 4);
  for (size_t tap = 0; tap < taps; ++tap) {
    double offset = 0;
    for (size_t c = 0; c < 3; ++c) {
      folded.values.push_back(w.values[tap * 3 + c] * spec.scale[c]);
      offset += static_cast<double>(w.values[tap * 3 + c]) * spec.offset[c];
    }
    folded.values.push_back(static_cast<float>(offset));
  }
  return folded;
}

Status emit_conv2d_texture(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const int input = *emitter.context().texture_input(node.inputs[0]);
  const InputSpec& spec = emitter.context().options.inputs[static_cast<size_t>(input)];
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Bhwc in = Bhwc::from(emitter.graph().value(node.inputs[0]).shape);
  const Shape& shape = emitter.graph().value(node.inputs[1]).shape;
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  const ConvWeights dense{out.shape.c, shape.dim(1), shape.dim(2), 3,
                          conv_weights(emitter.graph(), node, quantization)};
  const ConvConstants constants =
      add_conv_constants(emitter, node, quantization, pack_conv_weights(fold_normalization(dense, spec)), out.shape.c);
  StepParams params({out});
  params.ints(dense.kernel_w, dense.kernel_h, attr.stride_w, attr.stride_h);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  params.ints(in.w, in.h);
  params.floats(spec.padding[0], spec.padding[1], spec.padding[2], spec.padding[3]);
  const int32_t pixels = tile_pixels(out.shape.slices(), emitter.context().limits.kernels.texture_tile);
  return emitter.add_step(conv2d_texture_shader(pixels, out.shape.slices()), std::move(params),
                          Grid{.x = int64_t{out.shape.h} * out.shape.w, .x_per_invocation = pixels}, {}, {out},
                          {.input = input,
                           .weights = constants.storage,
                           .activation = constants.activation,
                           .half_products = emitter.context().limits.kernels.half.products});
}

std::vector<ShaderKey> conv2d_texture_variants() {
  std::vector<ShaderKey> keys;
  for (int32_t slices = 1; slices <= kMaxSlices; ++slices) {
    for (int32_t pixels = 1; pixels <= kMaxPixels; pixels *= 2) keys.push_back(conv2d_texture_shader(pixels, slices));
  }
  return storage_variants(keys, "OW");
}

}  // namespace

std::vector<Kernel> conv2d_kernels(OpType) {
  return {
      {"conv2d-texture", supports_conv2d_texture, emit_conv2d_texture, conv2d_texture_variants},
      conv2d_winograd_kernel(),
      {"conv2d", supports_conv2d, emit_conv2d, conv2d_variants},
      {"conv2d-grouped", supports_conv2d_grouped, emit_conv2d_grouped, conv2d_grouped_variants},
      {"conv2d-computed", supports_computed_conv2d, emit_computed_conv2d, computed_conv2d_variants, kComputedLimits}};
}

std::vector<Kernel> fully_connected_kernels(OpType) {
  return {{"fully-connected", supports_fully_connected, emit_fully_connected, fully_connected_variants},
          fully_connected_computed_kernel()};
}

}  // namespace sightglass

// CONV_2D with a 3×3 kernel by Winograd's algorithm, in two steps: the transform of the data, and the products. The
// results are not bit-identical with those of conv2d.cpp: PlanOptions::exact excludes this kernel.
#include <algorithm>
#include <array>
#include <iterator>

#include "kernel/tensors.h"
#include "ops/conv_constants.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

// Elements of a kernel, of a square of data and its transforms, and of a square of outputs, per axis.
constexpr int32_t kKernel = 3, kData = 4, kSquare = 2;
constexpr int32_t kElements = kData * kData;
// With fewer channels, the transforms take as long as the products that they save.
constexpr int32_t kLeastChannels = 16;

const ShaderKey kDataShader{"winograd_data.comp", {}};

ShaderKey conv2d_winograd_shader(const ConvTile& tile, int32_t local_x) {
  return {"winograd.comp",
          {{"LOCAL_X", std::to_string(local_x)},
           {"SQUARES", std::to_string(tile.pixels)},
           {"SLICES", std::to_string(tile.slices)}}};
}

struct WinogradVariant {
  ConvTile tile;
  int32_t local_x = kKernelInvocations;
  Reads reads = Reads::kStorageBlocks;

  std::string name() const {
    return "SQUARES=" + std::to_string(tile.pixels) + " SLICES=" + std::to_string(tile.slices) +
           " LOCAL_X=" + std::to_string(local_x) + " " + name_of(reads);
  }
};

// Sums of four inputs may exceed the range of 16 bits.
constexpr Storage kTransformed = Storage::kFloat32;
constexpr int32_t kShortGroup = 32;
// An invocation also keeps the four outputs of every square and slice: larger tiles spill, and take seconds to compile.
constexpr std::array<ConvTile, 5> kTiles{{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}}};

// The transformed data: an image of one pixel per square for each element.
Bhwc transformed_shape(const Bhwc& in, const Bhwc& out) {
  const auto squares = [](int32_t side) { return (side + kSquare - 1) / kSquare; };
  return {in.b * kElements, squares(out.h), squares(out.w), in.c};
}

// The tile of the device family, or fewer squares and slices if there is too little work for it.
ConvTile choose_winograd_tile(const ConvTile& most, int64_t squares, int32_t slices) {
  ConvTile tile = most;
  while (tile.slices > slices) tile.slices /= 2;
  if (squares * slices < int64_t{16} * kKernelInvocations * 4) tile.pixels = 1;
  return tile;
}

std::vector<WinogradVariant> winograd_choices(const Emitter& emitter, const ConvTile& tile, int32_t slices) {
  const WinogradVariant usual{tile, kKernelInvocations, emitter.usual_reads()};
  std::vector<WinogradVariant> variants{usual};
  if (const std::optional<Reads> other = emitter.other_reads()) {
    variants.push_back({usual.tile, usual.local_x, *other});
  }
  variants.push_back({usual.tile, kShortGroup, usual.reads});
  for (const ConvTile& other : kTiles) {
    if (other != tile && other.slices <= slices) variants.push_back({other, usual.local_x, usual.reads});
  }
  return variants;
}

// G g Gᵀ of every filter: [O, 4, 4, I] from [O, 3, 3, I].
std::vector<float> transform_weights(const std::vector<float>& weights, int32_t out_channels, int32_t in_channels) {
  constexpr double kG[kData][kKernel] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  const auto depth = static_cast<size_t>(in_channels);
  std::vector<float> transformed;
  transformed.reserve(static_cast<size_t>(out_channels) * kElements * depth);
  for (size_t o = 0; o < static_cast<size_t>(out_channels); ++o) {
    for (const auto& row : kG) {
      for (const auto& column : kG) {
        for (size_t c = 0; c < depth; ++c) {
          double sum = 0;
          for (size_t y = 0; y < kKernel; ++y) {
            for (size_t x = 0; x < kKernel; ++x) {
              sum += row[y] * column[x] * double{weights[((o * kKernel + y) * kKernel + x) * depth + c]};
            }
          }
          transformed.push_back(static_cast<float>(sum));
        }
      }
    }
  }
  return transformed;
}

Status check_geometry(const Graph& graph, const Node& node) {
  const Shape& weights = graph.value(node.inputs[1]).shape;
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  if (weights.dim(1) != kKernel || weights.dim(2) != kKernel) return unsupported("a kernel that is not 3x3");
  if (attr.stride_h != 1 || attr.stride_w != 1) return unsupported("a stride");
  if (attr.dilation_h != 1 || attr.dilation_w != 1) return unsupported("a dilation");
  const int32_t channels = Bhwc::from(graph.value(node.inputs[0]).shape).c;
  if (weights.dim(3) != channels) return unsupported("groups");
  if (channels < kLeastChannels || weights.dim(0) < kLeastChannels) {
    return unsupported("fewer than " + std::to_string(kLeastChannels) + " channels");
  }
  return {};
}

// Multiply-adds of a tile of products for each of its pixels or squares and slices, and for a slice of the data. A load
// takes as long as four multiply-adds of vec4, as in conv2d.cpp.
double products_cost(const ConvTile& tile) {
  constexpr double kLoad = 4;
  return (kLoad * (tile.pixels + 4.0 * tile.slices) + 4.0 * tile.area()) / tile.area();
}

// Items that whole work groups compute.
int64_t computed(int64_t items, const ConvTile& tile) {
  const int64_t group = int64_t{kKernelInvocations} * tile.pixels;
  return (items + group - 1) / group * group;
}

// Compares the time with that of conv2d.cpp.
Status check_cost(const KernelDefaults& kernels, const ConvTile& tile, const Bhwc& in, const Bhwc& out) {
  // Of an element of the transformed data: it is loaded, added to others, and stored; the store takes longest, as
  // measured on llvmpipe.
  constexpr double kTransform = 26, kLeastGain = 0.1;
  const Bhwc data = transformed_shape(in, out);
  const auto squares = static_cast<double>(computed(int64_t{data.h} * data.w, tile));
  const double in_slices = in.slices(), out_slices = out.slices();
  const double transform = squares * in_slices * kElements * kTransform;
  const double multiply = squares * out_slices * kElements * (in_slices * products_cost(tile) + kSquare * kSquare);
  const auto usual = static_cast<double>(conv2d_cost(kernels, in, out, kKernel * kKernel));
  if (transform + multiply < usual * (1 - kLeastGain)) return {};
  return unsupported("no gain for an output of " + std::to_string(out.h) + "x" + std::to_string(out.w) + " with " +
                     std::to_string(in.c) + " channels");
}

// The tile for the node if it is worthwhile, or the reason why not.
Result<ConvTile> tile_for(const PlanContext& context, const Bhwc& in, const Bhwc& out) {
  if (context.options.winograd) return *context.options.winograd;
  if (context.options.exact) return unsupported("results must be exact");
  const KernelDefaults& kernels = context.limits.kernels;
  if (!kernels.winograd) return unsupported("not known to be faster on this device");
  const Bhwc data = transformed_shape(in, out);
  const ConvTile tile = choose_winograd_tile(*kernels.winograd, int64_t{data.h} * data.w, out.slices());
  SIGHTGLASS_RETURN_IF_ERROR(check_cost(kernels, tile, in, out));
  return tile;
}

Status supports_conv2d_winograd(const PlanContext& context, const Node& node) {
  const Graph& graph = context.graph;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(graph, node, graph.value(node.inputs[1]).shape.dim(0)));
  SIGHTGLASS_RETURN_IF_ERROR(check_geometry(graph, node));
  const Value &data = graph.value(node.inputs[0]), &result = graph.value(node.outputs[0]);
  if (data.type != DataType::kFloat32 || result.type != DataType::kFloat32) return unsupported("quantized data");
  if (gate_of(node) != kNone) return unsupported("it has a gate");
  if (node.residual_sampling != ResidualSampling::kNone) return unsupported("it samples its residual");
  const Bhwc in = Bhwc::from(data.shape), out = Bhwc::from(result.shape);
  const int64_t limit = context.limits.max_loop_iterations, iterations = int64_t{kElements} * (in.slices() + 2);
  if (limit > 0 && iterations > limit) {
    return unsupported("a reduction of " + std::to_string(iterations) + " steps; this device ends loops after " +
                       std::to_string(limit));
  }
  if (transformed_shape(in, out).vec4s() * bytes_of(kTransformed) > context.limits.max_storage_block_bytes) {
    return unsupported("transformed data that exceed a storage block");
  }
  return tile_for(context, in, out).status();
}

Status emit_transform(Emitter& emitter, const TensorRef& in, const TensorRef& data, const Padding2d& padding) {
  StepParams params({in, data});
  params.ints(padding.left, padding.top);
  const Grid grid{int64_t{data.shape.h} * data.shape.w, int64_t{in.shape.b} * in.shape.slices()};
  return emitter.add_step(kDataShader, std::move(params), grid, {in}, {data});
}

Status emit_conv2d_winograd(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const ConvTile tile, tile_for(emitter.context(), in.shape, out.shape));
  const TensorRef data = emitter.temporary("transformed " + emitter.graph().value(node.inputs[0]).name,
                                           transformed_shape(in.shape, out.shape), kTransformed);
  SIGHTGLASS_RETURN_IF_ERROR(emit_transform(emitter, in, data, std::get<Conv2dAttr>(node.attributes).padding));
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  const ConvWeights weights{
      out.shape.c, kData, kData, in.shape.c,
      transform_weights(conv_weights(emitter.graph(), node, quantization), out.shape.c, in.shape.c)};
  ConvConstants constants = add_conv_constants(emitter, node, quantization, pack_conv_weights(weights), out.shape.c);
  SIGHTGLASS_RETURN_IF_ERROR(add_operands(emitter, node, constants));
  const auto [variant, choice] =
      emitter.choose_variant(tuned_step(emitter, "conv2d-winograd", in, out, "kernel 3x3", constants),
                             winograd_choices(emitter, tile, out.shape.slices()));
  const int32_t slice_groups = (out.shape.slices() + variant.tile.slices - 1) / variant.tile.slices;
  StepParams params({data, out});
  params.ints(constants.weights, constants.bias, constants.slope);
  params.ints(slice_groups, kElements);
  const Grid grid{int64_t{data.shape.h} * data.shape.w, int64_t{out.shape.b} * slice_groups, variant.local_x, 1,
                  variant.tile.pixels};
  return add_conv_step(emitter, {conv2d_winograd_shader(variant.tile, variant.local_x), std::move(params), grid, data,
                                 out, constants, choice});
}

std::vector<ShaderKey> conv2d_winograd_variants() {
  std::vector<ShaderKey> keys;
  for (const int32_t local_x : {kShortGroup, kKernelInvocations}) {
    for (const ConvTile& tile : kTiles) keys.push_back(conv2d_winograd_shader(tile, local_x));
  }
  std::vector<ShaderKey> adding;
  for (const Operand residual : {Operand::kResidual, Operand::kLastResidual}) {
    for (const ShaderKey& key : keys) {
      adding.push_back(key);
      adding.back().defines.push_back(define_of(residual));
    }
  }
  keys = storage_variants(keys, "OW");
  std::ranges::move(storage_variants(adding, "BOW"), std::back_inserter(keys));
  for (ShaderKey& key : storage_variants({kDataShader}, "A")) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

Kernel conv2d_winograd_kernel() {
  return {"conv2d-winograd", supports_conv2d_winograd, emit_conv2d_winograd, conv2d_winograd_variants};
}

}  // namespace sightglass

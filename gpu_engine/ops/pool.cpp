#include <algorithm>
#include <iterator>

#include "graph/quantized.h"
#include "kernel/kernel_interface.h"
#include "kernel/tensors.h"
#include "ops/conv_constants.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

ShaderKey pool_shader() { return {"pool.comp", {}}; }

// Larger windows run as two passes. Both reductions are separable: the maximum of row maxima is the maximum, and
// because every row of a window has the same number of columns inside the image, the average of row averages is the
// average.
constexpr int64_t kLargestWindow = 256;

Status supports_pool(const PlanContext&, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

struct Pass {
  Pool2dAttr attr;
  bool average;
  Activation activation = Activation::kNone;
  float zero_point = 0;
};

Status emit_pass(Emitter& emitter, const TensorRef& in, const TensorRef& out, const Pass& pass) {
  const auto& [attr, average, activation, zero_point] = pass;
  StepParams params({in, out});
  params.ints(attr.filter_w, attr.filter_h, attr.stride_w, attr.stride_h);
  params.ints(attr.padding.left, attr.padding.top, 0, average ? 1 : 0);
  params.floats(out.scale.quantized ? 1 : 0, zero_point);
  return emitter.add_step(pool_shader(), std::move(params), Grid::over(out.shape), {in}, {out},
                          {.activation = gpu_code(activation)});
}

Status emit_pool(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<Pool2dAttr>(node.attributes);
  const bool average = node.op == OpType::kAveragePool2d;
  const auto zero = static_cast<float>(zero_point(emitter.graph().value(node.outputs[0])));
  if (int64_t{attr.filter_h} * attr.filter_w <= kLargestWindow || attr.filter_h == 1 || attr.filter_w == 1) {
    return emit_pass(emitter, in, out, {attr, average, node.activation, zero});
  }
  Pool2dAttr rows = attr;
  rows.filter_h = rows.stride_h = 1;
  rows.padding.top = rows.padding.bottom = 0;
  Pool2dAttr columns = attr;
  columns.filter_w = columns.stride_w = 1;
  columns.padding.left = columns.padding.right = 0;
  TensorRef between = emitter.temporary("rows of " + emitter.graph().value(node.outputs[0]).name,
                                        {in.shape.b, in.shape.h, out.shape.w, in.shape.c}, in);
  // The first pass keeps stored values. Only the final result is rounded.
  TensorRef stored = in;
  stored.scale.scale = between.scale.scale = 1;
  between.scale.quantized = false;
  SIGHTGLASS_RETURN_IF_ERROR(emit_pass(emitter, stored, between, {rows, average}));
  between.scale.scale = in.scale.scale;
  return emit_pass(emitter, between, out, {columns, average, node.activation, zero});
}

std::vector<ShaderKey> pool_variants() { return storage_variants({pool_shader()}, "AO"); }

ShaderKey places_shader() { return {"pool_places.comp", {}}; }
ShaderKey unpool_shader() { return {"unpool.comp", {}}; }

// Neighboring positions within a window must be distinguishable in 16 bits.
constexpr int64_t kLargestPlace = 512;

Status supports_places(const PlanContext& context, const Node& node) {
  const auto& attr = std::get<Pool2dAttr>(node.attributes);
  if (int64_t{attr.filter_h} * attr.filter_w > kLargestPlace) {
    return unsupported("a window of more than " + std::to_string(kLargestPlace) + " pixels");
  }
  return supports_pool(context, node);
}

Status emit_with_places(Emitter& emitter, const Node& node) {
  SIGHTGLASS_RETURN_IF_ERROR(emit_pool(emitter, node));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[1]));
  const auto& attr = std::get<Pool2dAttr>(node.attributes);
  StepParams params({in, out});
  params.ints(attr.filter_w, attr.filter_h, attr.stride_w, attr.stride_h).ints(attr.padding.left, attr.padding.top);
  return emitter.add_step(places_shader(), std::move(params), Grid::over(out.shape), {in}, {out});
}

std::vector<ShaderKey> variants_with_places() { return storage_variants({pool_shader(), places_shader()}, "AO"); }

Status emit_unpool(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef places, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<Pool2dAttr>(node.attributes);
  StepParams params({in, places, out});
  params.ints(attr.filter_w, attr.filter_h, attr.stride_w, attr.stride_h).ints(attr.padding.left, attr.padding.top);
  return emitter.add_step(unpool_shader(), std::move(params), Grid::over(out.shape), {in, places}, {out});
}

std::vector<ShaderKey> unpool_variants() { return storage_variants({unpool_shader()}, "ABO"); }

}  // namespace

std::vector<Kernel> pool_kernels(OpType op) {
  const std::string window = "a window of at most " + std::to_string(kLargestPlace) + " pixels";
  switch (op) {
    case OpType::kMaxPoolWithArgmax:
      return {{"pool-places", supports_places, emit_with_places, variants_with_places, window}};
    case OpType::kMaxUnpool:
      return {{"unpool", supports_places, emit_unpool, unpool_variants, window}};
    default:
      return {{"pool", supports_pool, emit_pool, pool_variants}};
  }
}

// The mean over an image and one or two 1×1 convolutions of it, in one work group. fuse-excitation decides when this is
// worthwhile.

namespace {

constexpr int32_t kMostChannels = kMostSqueezedSlices * 4;

// `between`: of two convolutions.
ShaderKey squeeze_excite_shader(std::optional<Activation> between) {
  ShaderKey key{"squeeze_excite.comp", {}};
  if (between) key.defines.push_back({"BETWEEN", std::to_string(gpu_code(*between))});
  return key;
}

// The weights of the first convolution of two.
ValueId squeeze_weights(const Node& node) {
  return node.inputs.size() > kSqueezeWeights ? node.inputs[kSqueezeWeights] : kNone;
}

Status supports_squeeze_excite(const PlanContext& context, const Node& node) {
  const Graph& graph = context.graph;
  const ValueId weights = squeeze_weights(node);
  const Shape& second = graph.value(node.inputs[1]).shape;
  const Shape& first = weights == kNone ? second : graph.value(weights).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(graph, node, second.dim(0)));
  for (const size_t input : {kSqueezeWeights, kSqueezeBias}) {
    const bool present = input < node.inputs.size() && node.inputs[input] != kNone;
    if (present && !graph.is_constant(node.inputs[input])) return unsupported("weights that are computed");
  }
  if (std::get<SqueezeExciteAttr>(node.attributes).between == Activation::kPrelu) return unsupported("a PRELU between");
  const int32_t most = std::max({first.dim(3), first.dim(0), second.dim(0)});
  if (most > kMostChannels) return unsupported(std::to_string(most) + " channels");
  const Bhwc in = Bhwc::from(graph.value(node.inputs[0]).shape);
  const int64_t limit = context.limits.max_loop_iterations;
  if (limit > 0 && int64_t{in.h} * in.w + kMostChannels > limit) return unsupported("an image that is too large");
  return {};
}

Status emit_squeeze_excite(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Graph& graph = emitter.graph();
  const ValueId squeeze = squeeze_weights(node);
  const int32_t between = squeeze == kNone ? in.shape.c : graph.value(squeeze).shape.dim(0);
  // The weights of both convolutions are one block of constants with one storage.
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  std::vector<float> weights = pack_conv_weights({out.shape.c, 1, 1, between, conv_weights(graph, node, quantization)});
  const auto first = static_cast<int32_t>(weights.size() / 4);
  if (squeeze != kNone) {
    std::ranges::copy(pack_conv_weights({between, 1, 1, in.shape.c, graph.floats(squeeze)}),
                      std::back_inserter(weights));
  }
  const ConvConstants constants = add_conv_constants(emitter, node, quantization, weights, out.shape.c);
  const int32_t slices = (between + 3) / 4;
  std::vector<float> bias;
  if (node.inputs.size() > kSqueezeBias && node.inputs[kSqueezeBias] != kNone) {
    bias = graph.floats(node.inputs[kSqueezeBias]);
  }
  bias.resize(static_cast<size_t>(slices) * 4, 0.0f);
  StepParams params({in, out});
  params.ints(constants.weights, constants.bias, constants.slope);
  params.ints(constants.weights + first, emitter.add_constants(bias), slices);
  const Activation activation = std::get<SqueezeExciteAttr>(node.attributes).between;
  ShaderKey shader = squeeze_excite_shader(squeeze == kNone ? std::nullopt : std::optional(activation));
  std::vector<TensorRef> inputs{in};
  SIGHTGLASS_RETURN_IF_ERROR(add_addend(emitter, node, shader, params, inputs));
  return emitter.add_step(std::move(shader), std::move(params), Grid{1, in.shape.b}, inputs, {out},
                          {.weights = constants.storage, .activation = constants.activation});
}

std::vector<ShaderKey> squeeze_excite_variants() {
  std::vector<ShaderKey> keys{squeeze_excite_shader(std::nullopt)};
  for (const Activation between :
       {Activation::kNone, Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1, Activation::kTanh,
        Activation::kLogistic, Activation::kHardSwish, Activation::kHardSigmoid, Activation::kSwish}) {
    keys.push_back(squeeze_excite_shader(between));
  }
  std::vector<ShaderKey> variants = storage_variants(keys, "AOW");
  std::ranges::move(operand_variants(keys, {{Operand::kAddend}}), std::back_inserter(variants));
  return variants;
}

}  // namespace

std::vector<Kernel> squeeze_excite_kernels(OpType) {
  return {{"squeeze-excite", supports_squeeze_excite, emit_squeeze_excite, squeeze_excite_variants}};
}

}  // namespace sightglass

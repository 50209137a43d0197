#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"

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

}  // namespace sightglass

// SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION: over the last dimension.
#include "kernel/storage_variants.h"
#include "ops/function.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey softmax_shader() { return {"softmax.comp", {}}; }
ShaderKey l2_shader() { return {"l2_normalize.comp", {}}; }

// The shader reads the slices three times, and its iterations are bounded (see DeviceLimits::max_loop_iterations).
constexpr int32_t kMostSoftmaxSlices = 65535 / 3;

Status check_slices(const PlanContext& context, const Node& node) {
  const Bhwc shape = Bhwc::from(context.graph.value(node.inputs[0]).shape);
  if (shape.slices() <= kMostSoftmaxSlices) return {};
  return unsupported("a last dimension of " + std::to_string(shape.c) + " elements; make it smaller");
}

Status supports_softmax(const PlanContext& context, const Node& node) {
  if (node.activation != Activation::kNone) return unsupported("a fused activation");
  return check_slices(context, node);
}

Status supports_l2(const PlanContext& context, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return check_slices(context, node);
}

Status emit_softmax(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto* softmax = std::get_if<SoftmaxAttr>(&node.attributes);
  StepParams params;
  params.tensor(in).tensor(out).floats(softmax == nullptr ? 1 : softmax->beta, softmax == nullptr ? 1 : 0);
  const Grid grid{int64_t{in.shape.h} * in.shape.w, in.shape.b};
  return emitter.add_step(softmax_shader(), std::move(params), grid, {in}, {out});
}

Status emit_l2(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(in).tensor(out);
  const Grid grid{int64_t{in.shape.h} * in.shape.w, in.shape.b};
  return emitter.add_step(l2_shader(), std::move(params), grid, {in}, {out}, {.activation = gpu_code(node.activation)});
}

std::vector<ShaderKey> softmax_variants() { return storage_variants({softmax_shader()}, "AO"); }
std::vector<ShaderKey> l2_variants() { return storage_variants({l2_shader()}, "AO"); }

}  // namespace

std::vector<Kernel> softmax_kernels() {
  const std::string limits = "last dimension at most " + std::to_string(kMostSoftmaxSlices * 4);
  return {{"softmax", OpType::kSoftmax, supports_softmax, emit_softmax, softmax_variants, limits},
          {"softmax", OpType::kLogSoftmax, supports_softmax, emit_softmax, softmax_variants, limits},
          {"l2-normalize", OpType::kL2Normalization, supports_l2, emit_l2, l2_variants, limits}};
}

}  // namespace sightglass

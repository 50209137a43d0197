// TOPK_V2.
#include "kernel/storage_variants.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey top_k_shader(bool places) {
  ShaderKey key{"top_k.comp", {}};
  if (places) key.defines.push_back({"PLACES", "1"});
  return key;
}

// An invocation needs five iterations per slice (see DeviceLimits::max_loop_iterations).
constexpr int32_t kMostTopKSlices = 65535 / 5;

bool same_quantization(const Value& a, const Value& b) {
  return a.quantization.scale == b.quantization.scale && a.quantization.zero_point == b.quantization.zero_point;
}

Status supports_top_k(const PlanContext& context, const Node& node) {
  const Value &in = context.graph.value(node.inputs[0]), &values = context.graph.value(node.outputs[0]);
  if (node.activation != Activation::kNone) return unsupported("a fused activation");
  if (!same_quantization(in, values)) return unsupported("results with another quantization than the data");
  if (Bhwc::from(in.shape).slices() <= kMostTopKSlices) return {};
  return unsupported("a choice among " + std::to_string(in.shape.dim(in.shape.rank() - 1)) + " elements; at most " +
                     std::to_string(kMostTopKSlices * 4) + " are supported");
}

Status emit_output(Emitter& emitter, const Node& node, size_t output) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[output]));
  const int32_t k = std::get<TopKAttr>(node.attributes).k;
  const Bhwc rows{in.shape.b, in.shape.h * in.shape.w, k, 1};
  const bool direct = same_layout(rows, out.shape);
  TensorRef picked{out.tensor, rows, out.scale};
  if (!direct) {
    picked = emitter.temporary("picked " + emitter.graph().value(node.outputs[output]).name, rows, out);
  }
  StepParams params;
  params.tensor(in).tensor(picked).ints(k);
  const Grid grid{int64_t{in.shape.h} * in.shape.w * in.shape.slices(), in.shape.b};
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(top_k_shader(output == 1), std::move(params), grid, {in}, {picked}));
  return direct ? Status() : emit_reshape(emitter, picked, out);
}

Status emit_top_k(Emitter& emitter, const Node& node) {
  SIGHTGLASS_RETURN_IF_ERROR(emit_output(emitter, node, 0));
  return emit_output(emitter, node, 1);
}

std::vector<ShaderKey> top_k_variants() {
  std::vector<ShaderKey> keys = storage_variants({top_k_shader(true)}, "A", true);
  for (ShaderKey& key : keys) key.defines.push_back({"OUT_I32", "1"});
  for (ShaderKey& key : storage_variants({top_k_shader(false)}, "AO", true)) keys.push_back(std::move(key));
  for (ShaderKey& key : reshape_kernel().variants()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

Kernel top_k_kernel() {
  return {"top-k",    OpType::kTopK,  supports_top_k,
          emit_top_k, top_k_variants, "last dimension at most " + std::to_string(kMostTopKSlices * 4)};
}

}  // namespace sightglass

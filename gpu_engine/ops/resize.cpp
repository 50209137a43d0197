#include "ops/function.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey resize_shader() { return {"resize_bilinear.comp", {}}; }

Status supports(const PlanContext&, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit(Emitter& emitter, const Node& node) {
  SG_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<ResizeAttr>(node.attributes);
  const auto scale = [&attr](int32_t from, int32_t to) {
    return attr.align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                        : static_cast<float>(from) / static_cast<float>(to);
  };
  StepParams params;
  params.tensor(in).tensor(out);
  params.floats(scale(in.shape.w, out.shape.w), scale(in.shape.h, out.shape.h), attr.half_pixel_centers ? 0.5f : 0.0f);
  params.ints(gpu_code(node.activation));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(resize_shader(), std::move(params), grid, {in}, {out});
}

std::vector<ShaderKey> variants() { return storage_variants({resize_shader()}, "AO"); }

}  // namespace

Kernel resize_bilinear_kernel() { return {"resize-bilinear", OpType::kResizeBilinear, supports, emit, variants}; }

}  // namespace sightglass

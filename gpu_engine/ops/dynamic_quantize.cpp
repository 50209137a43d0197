#include "kernel/storage_variants.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

// Number of vec4 that a work group of the first pass reads.
constexpr int64_t kPart = 64 * 32;

ShaderKey range_shader(bool final) {
  ShaderKey key{"dynamic_range.comp", {}};
  if (final) key.defines.push_back({"FINAL", "1"});
  return key;
}

ShaderKey quantize_shader() { return {"dynamic_quantize.comp", {}}; }

Status supports_dynamic_quantize(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

// Computes the range of every image of the batch, its quantization, then the quantized values.
Status emit_dynamic_quantize(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef in, emitter.tensor(node.inputs[0]));
  const auto& attr = std::get<DynamicQuantizeAttr>(node.attributes);
  const Value& data = emitter.graph().value(node.inputs[0]);
  const std::string& name = data.name;
  const auto groups = static_cast<int32_t>(data.shape.elements() / attr.group);
  if (groups != in.shape.b) {
    // A group that is not an image is viewed as one, and the values keep that shape for the operator that reads them.
    const TensorRef rows = emitter.temporary("rows of " + name, {groups, 1, 1, attr.group}, in);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, rows));
    in = rows;
  }
  const TensorRef out = emitter.temporary("steps of " + name, in.shape, in);
  emitter.place(node.outputs[0], out);
  const int64_t picture = in.shape.vec4s() / in.shape.b;
  const auto parts = static_cast<int32_t>((picture + kPart - 1) / kPart);
  // Ranges are always 32-bit floats: a quantization step is in the last bits of a range.
  const TensorRef ranges = emitter.temporary("ranges of " + name, {groups, 1, parts, 4}, Storage::kFloat32);
  const TensorRef quanta = emitter.temporary("quanta of " + name, {groups, 1, 1, 4}, Storage::kFloat32);
  StepParams first;
  first.tensor(in).tensor(ranges).ints(static_cast<int32_t>(picture), static_cast<int32_t>(kPart), parts);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(range_shader(false), std::move(first), Grid{1, int64_t{groups} * parts}, {in}, {ranges}));
  StepParams second;
  second.tensor(ranges).tensor(quanta).ints(parts, parts, 1, attr.asymmetric ? 1 : 0);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(range_shader(true), std::move(second), Grid{1, groups}, {ranges}, {quanta}));
  StepParams third;
  third.tensor(in).tensor(quanta).tensor(out);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(quantize_shader(), std::move(third), grid, {in, quanta}, {out}));
  emitter.set_quanta(node.outputs[0], quanta);
  return {};
}

std::vector<ShaderKey> dynamic_quantize_variants() {
  std::vector<ShaderKey> keys = storage_variants({range_shader(false)}, "A");
  keys.push_back(range_shader(true));
  for (ShaderKey& key : storage_variants({quantize_shader()}, "AO")) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

Kernel dynamic_quantize_kernel() {
  return {"dynamic-quantize", OpType::kDynamicQuantize, supports_dynamic_quantize, emit_dynamic_quantize,
          dynamic_quantize_variants};
}

}  // namespace sightglass

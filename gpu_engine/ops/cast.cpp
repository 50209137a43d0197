// CAST between floats, quantized values, integers and booleans.
#include "graph/quantized.h"
#include "ops/ops.h"
#include "ops/shader_codes.h"

namespace sightglass {

namespace {

ShaderKey cast_shader() { return {"cast.comp", {}}; }

GpuCast cast_to(DataType type) {
  if (type == DataType::kBool) return GpuCast::kBool;
  const bool narrow = type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16;
  return narrow ? GpuCast::kNarrow : GpuCast::kAny;
}

// Offset of stored values.
float origin_of(const Value& value) { return is_quantized(value) ? static_cast<float>(zero_point(value)) : 0; }

Status supports_cast(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

Status emit_cast(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Value& from = emitter.graph().value(node.inputs[0]);
  const Value& to = emitter.graph().value(node.outputs[0]);
  const auto bits = static_cast<int32_t>(8 * size_of(to.type));
  StepParams params;
  params.tensor(in).tensor(out);
  params.ints(gpu_code(cast_to(to.type)), bits, to.type == DataType::kUInt8 ? 0 : 1);
  params.floats(origin_of(from), origin_of(to));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(cast_shader(), std::move(params), grid, {in}, {out});
}

// From every storage to every other.
std::vector<ShaderKey> cast_variants() {
  std::vector<ShaderKey> keys;
  for (const char* from : {"", "A_F16", "A_I32"}) {
    for (const char* to : {"", "OUT_F16", "OUT_I32"}) {
      ShaderKey key = cast_shader();
      if (*from != '\0') key.defines.push_back({from, "1"});
      if (*to != '\0') key.defines.push_back({to, "1"});
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

}  // namespace

Kernel cast_kernel() { return {"cast", OpType::kCast, supports_cast, emit_cast, cast_variants}; }

}  // namespace sightglass

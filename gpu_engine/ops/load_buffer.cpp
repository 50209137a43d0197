#include "ops/load_buffer.h"

#include "kernel/storage_variants.h"
#include "ops/layout.h"

namespace sightglass {

Status check_buffer_input(DataType type, const Shape& shape) {
  if (type != DataType::kFloat32 && type != DataType::kFloat16) {
    return unsupported(std::string("cannot use a buffer for an input of ") + to_string(type) +
                       "; write it through the host");
  }
  if (shape.rank() > 4) return unsupported("a buffer as an input of shape " + shape.to_string());
  return {};
}

Result<TensorRef> emit_load_buffer(Emitter& emitter, int input, const TensorRef& out) {
  // The channels of a single pixel are adjacent in the arena.
  const int64_t numbers = int64_t{out.shape.b} * out.shape.h * out.shape.w * out.shape.c;
  const Bhwc dense{1, 1, 1, static_cast<int32_t>(numbers)};
  const TensorRef in = emitter.temporary(emitter.name(out) + ", dense", dense, Storage::kFloat32);
  PlanTensor& tensor = emitter.plan_tensor(in);
  tensor.persistent = tensor.exported = true;
  emitter.set_node("load input " + std::to_string(input));
  SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, out));
  return in;
}

// Those of RESHAPE, which have equal storages, and these.
std::vector<ShaderKey> load_buffer_variants() {
  return storage_variants({{"reshape.comp", {}}, {"reshape.comp", {{"LANES", "1"}}}}, "O");
}

}  // namespace sightglass

#include "ops/store_buffer.h"

#include "kernel/storage_variants.h"

namespace sightglass {

namespace {

ShaderKey store_buffer_shader() { return {"store_buffer.comp", {}}; }

}  // namespace

Result<TensorRef> emit_store_buffer(Emitter& emitter, int output, const TensorRef& in) {
  const int64_t numbers = int64_t{in.shape.b} * in.shape.h * in.shape.w * in.shape.c;
  const Bhwc dense{1, 1, static_cast<int32_t>((numbers + 3) / 4), 4};
  const TensorRef out = emitter.temporary(emitter.name(in) + ", dense", dense, Storage::kFloat32);
  PlanTensor& tensor = emitter.plan_tensor(out);
  tensor.persistent = tensor.exported = true;
  emitter.set_node("store output " + std::to_string(output));
  StepParams params;
  params.tensor(in).tensor(out).ints(static_cast<int32_t>(numbers));
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(store_buffer_shader(), std::move(params), Grid{dense.w, 1}, {in}, {out}, {.output = output}));
  return out;
}

std::vector<ShaderKey> store_buffer_variants() { return storage_variants({store_buffer_shader()}, "A", true); }

}  // namespace sightglass

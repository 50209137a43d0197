#include "kernel/step_params.h"

#include <bit>

namespace sightglass {

StepParams& StepParams::tensor(const TensorRef& t) {
  slots_.emplace_back(words_.size() + 4, t.tensor);
  ints(t.shape.w, t.shape.h, t.shape.c, t.shape.b);
  ints(0, t.shape.slices(), t.shape.w * t.shape.h);
  const StoredScale& s = t.scale;
  return floats(s.scale, s.quantized ? 1.0f / s.scale : 0.0f, s.lowest, s.highest);
}

StepParams& StepParams::ints(int32_t x, int32_t y, int32_t z, int32_t w) {
  words_.insert(words_.end(), {x, y, z, w});
  return *this;
}

StepParams& StepParams::floats(float x, float y, float z, float w) {
  return ints(std::bit_cast<int32_t>(x), std::bit_cast<int32_t>(y), std::bit_cast<int32_t>(z),
              std::bit_cast<int32_t>(w));
}

void StepParams::place(const std::vector<PlanTensor>& tensors, const std::function<int64_t(int tensor)>& base) {
  for (const auto& [word, id] : slots_) {
    const PlanTensor& tensor = tensors[static_cast<size_t>(id)];
    words_[word] = static_cast<int32_t>((tensor.offset - base(id)) * (kBlockBytes / bytes_of(tensor.storage)));
  }
}

}  // namespace sightglass

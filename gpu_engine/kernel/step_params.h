// The parameters of a step: its uniform block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kernel/tensors.h"

namespace sightglass {

// The uniform block of a step in std140. All members are Tensor structs, ivec4 or vec4, so it is an array of 32-bit
// words. The arena layout fills in the tensor offsets.
class StepParams {
 public:
  StepParams& tensor(const TensorRef& t);
  StepParams& ints(int32_t x, int32_t y = 0, int32_t z = 0, int32_t w = 0);
  StepParams& floats(float x, float y = 0, float z = 0, float w = 0);
  // `base` returns the block of the arena that the offset of a tensor counts from.
  void place(const std::vector<PlanTensor>& tensors, const std::function<int64_t(int tensor)>& base);
  const std::vector<int32_t>& words() const { return words_; }

 private:
  std::vector<int32_t> words_;
  std::vector<std::pair<size_t, int>> slots_;  // word that receives the offset of a tensor, tensor
};

}  // namespace sightglass

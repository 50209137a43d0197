#include "ops/broadcast.h"

#include <array>

namespace sightglass {

namespace {

constexpr int kBatchDims = 5;

// Dimension 0 or 1 of the shape, right-aligned to five dimensions.
int32_t batch_dim(const Shape& shape, int i) {
  const int own = i - (kBatchDims - shape.rank());
  return own < 0 ? 1 : shape.dim(own);
}

}  // namespace

void add_batch_steps(StepParams& params, const std::vector<Shape>& operands, const Shape& out) {
  std::array<int32_t, 6> steps{};
  for (size_t i = 0; i < operands.size(); ++i) {
    const int32_t outer = batch_dim(operands[i], 0), inner = batch_dim(operands[i], 1);
    steps[2 * i] = outer == 1 ? 0 : inner;
    steps[2 * i + 1] = inner == 1 ? 0 : 1;
  }
  params.ints(steps[0], steps[1], steps[2], steps[3]);
  params.ints(steps[4], steps[5], batch_dim(out, 1));
}

}  // namespace sightglass

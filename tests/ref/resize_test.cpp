// The three coordinate conventions of RESIZE_BILINEAR, on values computed by hand.
#include <gtest/gtest.h>

#include "single_op.h"

namespace sightglass::test {
namespace {

enum Convention { kPlain, kAlignCorners, kHalfPixel };

ResizeAttr to_size(int32_t h, int32_t w, Convention convention) {
  return {h, w, convention == kAlignCorners, convention == kHalfPixel};
}

TEST(RefResizeBilinear, Enlarges) {
  const HostTensor in = floats({1, 1, 2, 1}, {0, 12});
  // Coordinates 0, 1/2, 1, 3/2: the last one is beyond the last pixel.
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 4, kPlain), {in}), {1, 1, 4, 1}, {0, 6, 12, 12});
  // Coordinates 0, 1/3, 2/3, 1.
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 4, kAlignCorners), {in}), {1, 1, 4, 1}, {0, 4, 8, 12},
                1e-5f);
  // Coordinates -1/4, 1/4, 3/4, 5/4: the first and the last are beyond the pixel centers.
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 4, kHalfPixel), {in}), {1, 1, 4, 1}, {0, 3, 9, 12});
}

TEST(RefResizeBilinear, EnlargesFromANonzeroFirstPixel) {
  const HostTensor in = floats({1, 1, 2, 1}, {4, 8});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 4, kHalfPixel), {in}), {1, 1, 4, 1}, {4, 5, 7, 8});
}

TEST(RefResizeBilinear, Shrinks) {
  const HostTensor in = floats({1, 4, 1, 1}, {0, 4, 8, 20});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(2, 1, kPlain), {in}), {1, 2, 1, 1}, {0, 8});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(2, 1, kAlignCorners), {in}), {1, 2, 1, 1}, {0, 20});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(2, 1, kHalfPixel), {in}), {1, 2, 1, 1}, {2, 14});
}

TEST(RefResizeBilinear, InterpolatesRowsAndColumns) {
  const HostTensor in = floats({1, 2, 2, 1}, {0, 4, 8, 12});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(3, 3, kAlignCorners), {in}), {1, 3, 3, 1},
                {0, 2, 4, 4, 6, 8, 8, 10, 12});
}

TEST(RefResizeBilinear, ToOnePixel) {
  const HostTensor in = floats({1, 1, 3, 1}, {1, 5, 6});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 1, kPlain), {in}), {1, 1, 1, 1}, {1});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 1, kAlignCorners), {in}), {1, 1, 1, 1}, {1});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 1, kHalfPixel), {in}), {1, 1, 1, 1}, {5});
}

TEST(RefResizeBilinear, ChannelsAndBatchesAreIndependent) {
  const HostTensor in = floats({2, 1, 1, 2}, {1, 2, 3, 4});
  expect_floats(evaluate(OpType::kResizeBilinear, to_size(1, 2, kPlain), {in}), {2, 1, 2, 2}, {1, 2, 1, 2, 3, 4, 3, 4});
}

}  // namespace
}  // namespace sightglass::test

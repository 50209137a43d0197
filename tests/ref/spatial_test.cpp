// Pools, reductions, softmax, indices of extremes, normalizations, and the three coordinate conventions of
// RESIZE_BILINEAR, on values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/graph.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

const HostTensor kMinusNine = floats({1, 3, 3, 1}, {-1, -2, -3, -4, -5, -6, -7, -8, -9});

TEST(RefPool, AverageDoesNotCountPadding) {
  expect_floats(evaluate(OpType::kAveragePool2d, Pool2dAttr{kSame, 2, 2, 2, 2}, {kNine}), {1, 2, 2, 1},
                {3, 4.5f, 7.5f, 9});
}

TEST(RefPool, MaximumIgnoresPaddingEvenBelowZero) {
  expect_floats(evaluate(OpType::kMaxPool2d, Pool2dAttr{kSame, 2, 2, 2, 2}, {kMinusNine}), {1, 2, 2, 1},
                {-1, -3, -7, -9});
  const Padding2d around{PaddingMode::kExplicit, 1, 1, 1, 1};
  expect_floats(evaluate(OpType::kMaxPool2d, Pool2dAttr{around, 2, 2, 2, 2}, {kMinusNine}), {1, 2, 2, 1},
                {-1, -2, -4, -5});
}

TEST(RefPool, WindowsOverlapAndNeedNotBeSquare) {
  expect_floats(evaluate(OpType::kMaxPool2d, Pool2dAttr{kValid, 1, 1, 1, 2}, {kNine}), {1, 3, 2, 1},
                {2, 3, 5, 6, 8, 9});
  expect_floats(evaluate(OpType::kAveragePool2d, Pool2dAttr{kValid, 1, 2, 3, 1}, {kNine}), {1, 1, 2, 1}, {4, 6});
}

TEST(RefPool, ChannelsAndBatchesAreIndependent) {
  const HostTensor in = floats({2, 1, 2, 2}, {1, -1, 3, -5, 10, 20, 30, 60});
  expect_floats(evaluate(OpType::kAveragePool2d, Pool2dAttr{kValid, 1, 1, 1, 2}, {in}), {2, 1, 1, 2}, {2, -3, 20, 40});
  expect_floats(evaluate(OpType::kMaxPool2d, Pool2dAttr{kValid, 1, 1, 1, 2}, {in}), {2, 1, 1, 2}, {3, -1, 30, 60});
}

TEST(RefPool, WholeFrameAndActivation) {
  expect_floats(evaluate(OpType::kAveragePool2d, Pool2dAttr{kValid, 3, 3, 3, 3}, {kNine}), {1, 1, 1, 1}, {5});
  expect_floats(evaluate(OpType::kMaxPool2d, Pool2dAttr{kValid, 3, 3, 3, 3}, {kNine}, Activation::kRelu6), {1, 1, 1, 1},
                {6});
}

// Among equal maxima, the first one. The tenth protects the integer part from rounding.
TEST(RefPool, IndicesAreWithinTheWindow) {
  const HostTensor in = floats({1, 3, 3, 1}, {1, 7, 2, 7, 4, 9, -1, -3, -2});
  Graph graph;
  const auto add = [&graph](const Shape& shape) {
    Value value;
    value.shape = shape;
    return graph.add_value(std::move(value));
  };
  Node node;
  node.op = OpType::kMaxPoolWithArgmax;
  node.attributes = Pool2dAttr{kSame, 2, 2, 2, 2};
  node.activation = Activation::kRelu;
  node.inputs = {add(in.shape)};
  node.outputs = {add({1, 2, 2, 1}), add({1, 2, 2, 1})};
  const auto pooled = value_of(ref::evaluate(graph, node, {&in}));
  expect_floats(pooled[0], {1, 2, 2, 1}, {7, 9, 0, 0});
  expect_floats(pooled[1], {1, 2, 2, 1}, {1.1f, 2.1f, 0.1f, 0.1f});
}

TEST(RefPool, UnpoolingRestoresValuesAndZeroesTheRest) {
  const HostTensor data = floats({1, 1, 2, 1}, {5, 6});
  expect_floats(evaluate(OpType::kMaxUnpool, Pool2dAttr{{}, 2, 2, 2, 2}, {data, floats({1, 1, 2, 1}, {1.1f, 2.1f})}),
                {1, 2, 4, 1}, {0, 5, 0, 0, 0, 0, 6, 0});
  // Invalid indices are ignored. If two windows have the same pixel, the last one counts.
  expect_floats(evaluate(OpType::kMaxUnpool, Pool2dAttr{{}, 2, 2, 2, 2}, {data, floats({1, 1, 2, 1}, {-1, 4})}),
                {1, 2, 4, 1}, std::vector<float>(8, 0.0f));
  expect_floats(evaluate(OpType::kMaxUnpool, Pool2dAttr{{}, 1, 1, 1, 2}, {data, floats({1, 1, 2, 1}, {1, 0})}),
                {1, 1, 4, 1}, {0, 6, 0, 0});
}

TEST(RefPool, AveragesOfNanAreNan) {
  const HostTensor in = floats({1, 1, 3, 1}, {NAN, 1, 3});
  expect_floats(evaluate(OpType::kAveragePool2d, Pool2dAttr{kValid, 1, 1, 1, 2}, {in}), {1, 1, 2, 1}, {NAN, 2});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{2}, false}, {in}), {1, 1, 1}, {NAN});
}

TEST(RefMean, OverRowsAndColumns) {
  const HostTensor in = floats({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{1, 2}, true}, {in}), {1, 1, 1, 2}, {4, 5});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{1, 2}, false}, {in}), {1, 2}, {4, 5});
}

TEST(RefMean, OverAnyAxes) {
  const HostTensor in = floats({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{3}, false}, {in}), {1, 2, 2}, {1.5f, 3.5f, 5.5f, 7.5f});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{1}, true}, {in}), {1, 1, 2, 2}, {3, 4, 5, 6});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{1, 3}, false}, {in}), {1, 2}, {3.5f, 5.5f});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{0, 1, 2, 3}, false}, {in}), Shape{}, {4.5f});
  expect_floats(evaluate(OpType::kMean, ReduceAttr{{}, false}, {in}), {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
}

TEST(RefSoftmax, ExponentialsOverTheirSumInEachRow) {
  const HostTensor in = floats({2, 2}, {0, std::log(3.0f), std::log(4.0f), 0});
  expect_floats(evaluate(OpType::kSoftmax, SoftmaxAttr{1}, {in}), {2, 2}, {0.25f, 0.75f, 0.8f, 0.2f}, 1e-7f);
}

TEST(RefSoftmax, BetaScalesTheExponents) {
  const HostTensor in = floats({1, 2}, {0, std::log(3.0f)});
  expect_floats(evaluate(OpType::kSoftmax, SoftmaxAttr{2}, {in}), {1, 2}, {0.1f, 0.9f}, 1e-7f);
}

TEST(RefSoftmax, ARowWithNanIsNan) {
  const HostTensor in = floats({2, 2}, {0, NAN, 0, 0});
  expect_floats(evaluate(OpType::kSoftmax, SoftmaxAttr{1}, {in}), {2, 2}, {NAN, NAN, 0.5f, 0.5f});
}

TEST(RefSoftmax, LargeNumbersDoNotOverflow) {
  const HostTensor in = floats({1, 1, 2, 2}, {1000, 1000, 3e38f, -3e38f});
  expect_floats(evaluate(OpType::kSoftmax, SoftmaxAttr{1}, {in}), {1, 1, 2, 2}, {0.5f, 0.5f, 1, 0});
}

TEST(RefReduce, RealNumbers) {
  const HostTensor in = floats({2, 3}, {1, -2, 3, 4, 5, -6});
  expect_floats(evaluate(OpType::kSum, ReduceAttr{{1}, false}, {in}), {2}, {2, 3});
  expect_floats(evaluate(OpType::kSum, ReduceAttr{{0, 1}, true}, {in}), {1, 1}, {5});
  expect_floats(evaluate(OpType::kReduceMax, ReduceAttr{{0}, false}, {in}), {3}, {4, 5, 3});
  expect_floats(evaluate(OpType::kReduceMin, ReduceAttr{{1}, true}, {in}), {2, 1}, {-2, -6});
  expect_floats(evaluate(OpType::kReduceProd, ReduceAttr{{1}, false}, {in}), {2}, {-6, -120});
}

TEST(RefReduce, Integers) {
  const HostTensor in = numbers<int32_t>(DataType::kInt32, {2, 2}, {16777217, 2, -7, 2});
  expect_integers(evaluate(OpType::kSum, ReduceAttr{{1}, false}, {in}), DataType::kInt32, {2}, {16777219, -5});
  expect_integers(evaluate(OpType::kMean, ReduceAttr{{1}, false}, {in}), DataType::kInt32, {2}, {8388609, -2});
  expect_integers(evaluate(OpType::kReduceProd, ReduceAttr{{1}, false}, {in}), DataType::kInt32, {2}, {33554434, -14});
  const HostTensor flags = numbers<uint8_t>(DataType::kBool, {2, 2}, {0, 1, 1, 1});
  expect_integers(evaluate(OpType::kReduceAll, ReduceAttr{{1}, false}, {flags}), DataType::kBool, {2}, {0, 1});
  expect_integers(evaluate(OpType::kReduceAny, ReduceAttr{{0, 1}, false}, {flags}), DataType::kBool, {}, {1});
}

TEST(RefReduce, IndicesOfExtremesAreTheFirst) {
  const HostTensor in = floats({2, 3}, {1, 5, 5, 4, -1, -1});
  expect_integers(evaluate(OpType::kArgMax, ArgAttr{1}, {in}), DataType::kInt32, {2}, {1, 0});
  expect_integers(evaluate(OpType::kArgMin, ArgAttr{1}, {in}), DataType::kInt32, {2}, {0, 1});
  expect_integers(evaluate(OpType::kArgMax, ArgAttr{0}, {in}, Activation::kNone, {}, DataType::kInt64),
                  DataType::kInt64, {3}, {1, 0, 0});
  EXPECT_FALSE(refusal(OpType::kArgMax, ArgAttr{2}, {in}).ok());
  EXPECT_FALSE(refusal(OpType::kArgMax, ArgAttr{0}, {in}, Activation::kNone, DataType::kFloat32).ok());
}

TEST(RefNormalize, LogarithmsAndLengths) {
  const float ln4 = std::log(4.0f), ln3 = std::log(3.0f);
  expect_floats(evaluate(OpType::kLogSoftmax, {}, {floats({1, 2}, {ln3, 0})}), {1, 2}, {ln3 - ln4, -ln4}, 1e-6f);
  expect_floats(evaluate(OpType::kL2Normalization, {}, {floats({2, 2}, {3, 4, 0, 0})}), {2, 2}, {0.6f, 0.8f, 0, 0},
                1e-7f);
}

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

// Convolutions and the fully connected layer, on values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

const HostTensor kSquare = floats({1, 2, 2, 1}, {1, 2, 3, 4});
const HostTensor kOneTenHundred = floats({1, 1, 3, 1}, {1, 10, 100});

Conv2dAttr conv(const Padding2d& padding, int32_t stride_h = 1, int32_t stride_w = 1, int32_t dilation_h = 1,
                int32_t dilation_w = 1) {
  return {padding, stride_h, stride_w, dilation_h, dilation_w};
}

TEST(RefConv2d, ValidCorrelatesWithoutFlippingTheKernel) {
  // 1*1 + 2*2 + 4*3 + 5*4 = 37
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {kNine, kSquare}), {1, 2, 2, 1}, {37, 47, 67, 77});
}

TEST(RefConv2d, SamePadsTheOddPixelAtTheEnd) {
  const HostTensor in = floats({1, 4, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const HostTensor ones = floats({1, 3, 3, 1}, std::vector<float>(9, 1.0f));
  // Rows: one of padding, below. Columns: two, one on each side.
  expect_floats(evaluate(OpType::kConv2d, conv(kSame, 2, 2), {in, ones}), {1, 2, 2, 1},
                {1 + 2 + 4 + 5 + 7 + 8, 2 + 3 + 5 + 6 + 8 + 9, 7 + 8 + 10 + 11, 8 + 9 + 11 + 12});
}

TEST(RefConv2d, StridesOfRowsAndColumnsDiffer) {
  const HostTensor one = floats({1, 1, 1, 1}, {1});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid, 1, 2), {kNine, one}), {1, 3, 2, 1}, {1, 3, 4, 6, 7, 9});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid, 2, 1), {kNine, one}), {1, 2, 3, 1}, {1, 2, 3, 7, 8, 9});
}

TEST(RefConv2d, DilationSpreadsTheTaps) {
  // The corners: 1*1 + 3*2 + 7*3 + 9*4
  expect_floats(evaluate(OpType::kConv2d, conv(kValid, 1, 1, 2, 2), {kNine, kSquare}), {1, 1, 1, 1}, {64});
  // Rows two apart, columns next to each other: 1*1 + 2*2 + 7*3 + 8*4, then 2*1 + 3*2 + 8*3 + 9*4
  expect_floats(evaluate(OpType::kConv2d, conv(kValid, 1, 1, 2, 1), {kNine, kSquare}), {1, 1, 2, 1}, {58, 68});
}

TEST(RefConv2d, ExplicitPaddingMayBeOneSided) {
  const HostTensor in = floats({1, 1, 2, 1}, {1, 2});
  const Padding2d left{PaddingMode::kExplicit, 0, 0, 2, 0};
  expect_floats(evaluate(OpType::kConv2d, conv(left), {in, kOneTenHundred}), {1, 1, 2, 1}, {100, 210});
  const Padding2d right{PaddingMode::kExplicit, 0, 0, 0, 2};
  expect_floats(evaluate(OpType::kConv2d, conv(right), {in, kOneTenHundred}), {1, 1, 2, 1}, {21, 2});
}

TEST(RefConv2d, SumsOverChannelsAndAddsTheBias) {
  const HostTensor in = floats({1, 1, 1, 2}, {3, 5});
  const HostTensor weights = floats({2, 1, 1, 2}, {1, 2, -1, 4});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights}), {1, 1, 1, 2}, {13, 17});
  const HostTensor bias = floats({2}, {10, 20});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights, bias}), {1, 1, 1, 2}, {23, 37});
}

TEST(RefConv2d, FiltersReadTheirGroup) {
  const HostTensor in = floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const HostTensor weights = floats({4, 1, 1, 2}, {1, 10, 1, -1, 1, 10, 0, 2});
  const HostTensor bias = floats({4}, {0, 100, 0, 0});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights, bias}), {1, 1, 2, 4},
                {21, 99, 43, 8, 65, 99, 87, 16});
  const HostTensor wide = floats({2, 1, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0});
  // 1 + 6, then 4 + 7
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, wide}), {1, 1, 1, 2}, {7, 11});
}

TEST(RefConv2d, BatchesAreIndependent) {
  const HostTensor in = floats({2, 1, 2, 1}, {1, 2, 3, 4});
  const HostTensor weights = floats({1, 1, 2, 1}, {1, 10});
  expect_floats(evaluate(OpType::kConv2d, conv(kSame), {in, weights}), {2, 1, 2, 1}, {21, 2, 43, 4});
}

TEST(RefConv2d, AppliesItsActivationAfterTheBias) {
  const HostTensor in = floats({1, 1, 1, 2}, {3, 5});
  const HostTensor weights = floats({2, 1, 1, 2}, {1, 2, -1, 4});
  const HostTensor bias = floats({2}, {-100, -15});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights, bias}, Activation::kRelu), {1, 1, 1, 2}, {0, 2});
  const HostTensor slopes = floats({2}, {0.5f, 0.25f});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights, bias, slopes}, Activation::kPrelu), {1, 1, 1, 2},
                {-43.5f, 2});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights, absent(), slopes}, Activation::kPrelu),
                {1, 1, 1, 2}, {13, 17});
}

TEST(RefConv2d, SumsWithoutLosingSmallTerms) {
  const HostTensor in = floats({1, 1, 1, 3}, {1e8f, 1, -1e8f});
  const HostTensor weights = floats({1, 1, 1, 3}, {1, 1, 1});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights}), {1, 1, 1, 1}, {1});
}

TEST(RefConv2d, AddsToTheFirstChannels) {
  const HostTensor in = floats({1, 1, 2, 1}, {1, 2}), weights = floats({3, 1, 1, 1}, {1, 10, 100});
  const HostTensor two = floats({1, 1, 2, 2}, {5, 6, 7, 8});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights, absent(), absent(), two}), {1, 1, 2, 3},
                {6, 16, 100, 9, 28, 200});
  EXPECT_NE(refusal(OpType::kConv2d, conv(kValid), {in, weights, absent(), absent(), floats({1, 1, 1, 2}, {5, 6})})
                .message()
                .find("is added to an output"),
            std::string::npos);
}

// The maxima of 2x2 pixels, and of one pixel in the last column.
TEST(RefConv2d, AddsMaxima) {
  Graph graph;
  const auto add_value = [&graph](const char* name, const Shape& shape) {
    Value value;
    value.name = name;
    value.shape = shape;
    return graph.add_value(std::move(value));
  };
  const ValueId in = add_value("in", {1, 1, 2, 1}), other = add_value("other", {1, 2, 3, 1});
  const ValueId out = add_value("out", {1, 1, 2, 1});
  graph.inputs = {in, other};
  const std::vector<float> one{1};
  Node node;
  node.op = OpType::kConv2d;
  node.attributes = conv(kValid);
  node.outputs = {out};
  node.inputs = {in, graph.add_constant("weights", {1, 1, 1, 1}, one), kNone, kNone, other};
  node.residual_sampling = ResidualSampling::kPooled;
  graph.add_node(std::move(node));
  graph.outputs = {out};
  const auto outputs =
      value_of(ref::run(graph, {floats({1, 1, 2, 1}, {1, 2}), floats({1, 2, 3, 1}, {3, 7, -9, 5, 4, -8})}));
  expect_floats(outputs[0], {1, 1, 2, 1}, {8, -6});
}

TEST(RefDepthwisePointwise, ClampsBetweenAndAddsAfter) {
  const HostTensor in = floats({1, 1, 2, 2}, {1, 2, 3, -4});
  const HostTensor taps = floats({1, 1, 2, 2}, {1, 1, 2, 1}), bias = floats({2}, {0, 1});
  const HostTensor weights = floats({1, 1, 1, 2}, {10, 100}), other = floats({1, 1, 1, 1}, {-63});
  // 1*1 + 3*2 = 7, clamped to 6; 2*1 - 4*1 + 1 = -1, clamped to 0
  const DepthwisePointwiseAttr attr{{kValid}, Activation::kRelu6};
  expect_floats(evaluate(OpType::kDepthwisePointwise, attr,
                         {in, weights, absent(), absent(), other, absent(), absent(), taps, bias}),
                {1, 1, 1, 1}, {-3});
  expect_floats(evaluate(OpType::kDepthwisePointwise, attr,
                         {in, weights, absent(), absent(), other, absent(), absent(), taps, bias}, Activation::kRelu),
                {1, 1, 1, 1}, {0});
}

TEST(RefDepthwisePointwise, WrongOperandsAreRejected) {
  const HostTensor in = floats({1, 1, 2, 2}, {1, 2, 3, 4}), taps = floats({1, 1, 1, 2}, {1, 1});
  const HostTensor weights = floats({1, 1, 1, 2}, {1, 1}), three = floats({1, 1, 1, 3}, {1, 1, 1});
  const DepthwisePointwiseAttr attr{{kValid}};
  const auto with = [&](const HostTensor& pointwise, const HostTensor& depthwise) {
    return refusal(OpType::kDepthwisePointwise, attr,
                   {in, pointwise, absent(), absent(), absent(), absent(), absent(), depthwise, absent()});
  };
  EXPECT_NE(with(three, taps).message().find("not a 1x1 kernel over 2 channels"), std::string::npos);
  EXPECT_NE(with(weights, three).message().find("does not fit the 2 channels"), std::string::npos);
  EXPECT_NE(with(weights, absent()).message().find("depthwise weights are missing"), std::string::npos);
}

TEST(RefSqueezeExcite, MeanAndTwoConvolutions) {
  const HostTensor in = floats({2, 1, 2, 2}, {1, 2, 3, 4, 0, 0, 0, -8});
  const HostTensor first = floats({1, 1, 1, 2}, {1, 10}), bias = floats({1}, {5});
  const HostTensor second = floats({2, 1, 1, 1}, {2, -1}), end = floats({2}, {0, 100});
  // Means 2 and 3, 0 and -4: 2 + 30 + 5 = 37, -40 + 5 = -35, which becomes 0
  expect_floats(evaluate(OpType::kSqueezeExcite, SqueezeExciteAttr{Activation::kRelu},
                         {in, second, end, absent(), absent(), absent(), absent(), first, bias}),
                {2, 1, 1, 2}, {74, 63, 0, 100});
}

TEST(RefSqueezeExcite, OneConvolutionOfASum) {
  const HostTensor in = floats({1, 1, 2, 2}, {1, 2, 3, 4}), addend = floats({1, 1, 2, 2}, {0, 10, 2, 20});
  // Means 3 and 18
  expect_floats(evaluate(OpType::kSqueezeExcite, SqueezeExciteAttr{},
                         {in, floats({1, 1, 1, 2}, {1, 10}), floats({1}, {5}), absent(), absent(), absent(), addend}),
                {1, 1, 1, 1}, {188});
}

TEST(RefConv2d, AddsToItsGatedData) {
  const HostTensor in = floats({1, 1, 2, 2}, {1, 2, 3, 4}), addend = floats({1, 1, 2, 2}, {100, 200, 300, 400});
  const HostTensor weights = floats({1, 1, 1, 2}, {1, 2}), gate = floats({1, 1, 1, 2}, {10, -1});
  const auto with = [&](const HostTensor& factors, const HostTensor& other) {
    return std::vector{in, weights, absent(), absent(), absent(), factors, other};
  };
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), with(absent(), addend)), {1, 1, 2, 1}, {505, 1111});
  // 110 + 2 * 198, 330 + 2 * 396
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), with(gate, addend)), {1, 1, 2, 1}, {506, 1122});
  EXPECT_NE(refusal(OpType::kConv2d, conv(kValid), with(absent(), gate)).message().find("added to data of shape"),
            std::string::npos);
}

TEST(RefDepthwisePointwise, AddsBetween) {
  const HostTensor in = floats({1, 1, 2, 1}, {1, 9}), taps = floats({1, 1, 1, 1}, {1});
  const DepthwisePointwiseAttr attr{{kValid}, Activation::kRelu6};
  const auto with = [&](const HostTensor& addend) {
    return std::vector{in, floats({1, 1, 1, 1}, {10}), absent(), absent(), absent(), absent(), addend, taps, absent()};
  };
  expect_floats(evaluate(OpType::kDepthwisePointwise, attr, with(floats({1, 1, 2, 1}, {2, 3}))), {1, 1, 2, 1},
                {30, 90});
  EXPECT_NE(refusal(OpType::kDepthwisePointwise, attr, with(taps)).message().find("added to data of shape 1x1x2x1"),
            std::string::npos);
}

TEST(RefSqueezeExcite, WrongOperandsAreRejected) {
  const HostTensor in = floats({1, 1, 1, 2}, {1, 2}), first = floats({1, 1, 1, 2}, {1, 1});
  const HostTensor second = floats({1, 1, 1, 1}, {1});
  const auto with = [&](const HostTensor& squeeze, const HostTensor& excite, const HostTensor& bias,
                        const HostTensor& addend = absent()) {
    return refusal(OpType::kSqueezeExcite, SqueezeExciteAttr{},
                   {in, excite, absent(), absent(), absent(), absent(), addend, squeeze, bias});
  };
  EXPECT_NE(with(second, second, absent()).message().find("not a 1x1 kernel over 2 channels"), std::string::npos);
  EXPECT_NE(with(first, first, absent()).message().find("not a 1x1 kernel over 1 channels"), std::string::npos);
  EXPECT_NE(with(first, second, floats({2}, {0, 0})).message().find("not a bias of 1 channels"), std::string::npos);
  EXPECT_NE(with(absent(), second, absent()).message().find("not a 1x1 kernel over 2 channels"), std::string::npos);
  EXPECT_NE(with(absent(), first, floats({1}, {0})).message().find("bias without weights"), std::string::npos);
  EXPECT_NE(with(first, second, absent(), second).message().find("added to data of shape 1x1x1x2"), std::string::npos);
}

TEST(RefDepthwiseConv2d, EachInputChannelMakesSeveralOutputs) {
  const HostTensor in = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const HostTensor weights = floats({1, 1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
  const HostTensor bias = floats({4}, {0, 0, 0, 1});
  // Outputs 0 and 1 read channel 0 (1, then 3), outputs 2 and 3 channel 1 (2, then 4).
  expect_floats(evaluate(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{kValid, 1, 1, 1, 1, 2}, {in, weights, bias}),
                {1, 1, 1, 4}, {31, 62, 126, 169});
}

TEST(RefDepthwiseConv2d, SamePaddingOfADilatedKernel) {
  const HostTensor in = floats({1, 1, 3, 1}, {1, 2, 3});
  expect_floats(evaluate(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{kSame, 1, 1, 1, 2, 1}, {in, kOneTenHundred}),
                {1, 1, 3, 1}, {310, 20, 31});
}

TEST(RefDepthwiseConv2d, StridesOfRowsAndColumnsDiffer) {
  const HostTensor one = floats({1, 1, 1, 1}, {2});
  expect_floats(evaluate(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{kValid, 2, 1, 1, 1, 1}, {kNine, one}),
                {1, 2, 3, 1}, {2, 4, 6, 14, 16, 18});
}

TEST(RefTransposeConv, StrideOfTheKernelSizeMakesAdjacentTiles) {
  expect_floats(evaluate(OpType::kTransposeConv, TransposeConvAttr{kValid, 2, 2, 4, 4}, {kSquare, kSquare}),
                {1, 4, 4, 1}, {1, 2, 2, 4, 3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16});
}

TEST(RefTransposeConv, OverlappingTapsAddUpAndPaddingIsCutOff) {
  const HostTensor in = floats({1, 1, 2, 1}, {1, 2});
  // 1 10 100 at columns 0 to 2, 2 20 200 at 2 to 4. SAME crops one column at the end.
  expect_floats(evaluate(OpType::kTransposeConv, TransposeConvAttr{kSame, 1, 2, 1, 4}, {in, kOneTenHundred}),
                {1, 1, 4, 1}, {1, 10, 102, 20});
  const Padding2d left{PaddingMode::kExplicit, 0, 0, 1, 0};
  expect_floats(evaluate(OpType::kTransposeConv, TransposeConvAttr{left, 1, 2, 1, 4}, {in, kOneTenHundred}),
                {1, 1, 4, 1}, {10, 102, 20, 200});
}

TEST(RefTransposeConv, ColumnsThatNoTapReachesAreTheBias) {
  const HostTensor in = floats({1, 1, 2, 1}, {1, 2});
  const HostTensor weights = floats({1, 1, 1, 1}, {5});
  expect_floats(
      evaluate(OpType::kTransposeConv, TransposeConvAttr{kValid, 1, 2, 1, 4}, {in, weights, floats({1}, {0.5f})}),
      {1, 1, 4, 1}, {5.5f, 0.5f, 10.5f, 0.5f});
}

TEST(RefTransposeConv, SumsOverChannelsAndAddsTheBias) {
  const HostTensor in = floats({1, 1, 1, 2}, {3, 5});
  const HostTensor weights = floats({2, 1, 1, 2}, {1, 2, -1, 4});
  expect_floats(
      evaluate(OpType::kTransposeConv, TransposeConvAttr{kValid, 1, 1, 1, 1}, {in, weights, floats({2}, {10, 20})}),
      {1, 1, 1, 2}, {23, 37});
}

TEST(RefFullyConnected, EveryRowTimesTheWeights) {
  const HostTensor weights = floats({2, 3}, {1, 0, -1, 1, 1, 1});
  const HostTensor bias = floats({2}, {0.5f, -0.5f});
  const std::vector<float> expected{-1.5f, 5.5f, -1.5f, 14.5f};
  const HostTensor rows = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_floats(evaluate(OpType::kFullyConnected, FullyConnectedAttr{}, {rows, weights, bias}), {2, 2}, expected);
  const HostTensor picture = floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  expect_floats(evaluate(OpType::kFullyConnected, FullyConnectedAttr{}, {picture, weights, bias}), {2, 2}, expected);
  expect_floats(evaluate(OpType::kFullyConnected, FullyConnectedAttr{true}, {picture, weights, bias}), {1, 1, 2, 2},
                expected);
}

TEST(RefConv2d, ReadsNoPaddingSoThatInfiniteWeightsThereDoNotMatter) {
  // 0 * infinity would be NaN: taps in the padding are skipped, not multiplied.
  const HostTensor in = floats({1, 1, 1, 1}, {2});
  const HostTensor weights = floats({1, 1, 3, 1}, {INFINITY, 3, NAN});
  expect_floats(evaluate(OpType::kConv2d, conv(kSame), {in, weights}), {1, 1, 1, 1}, {6});
}

TEST(RefConv2d, NanAffectsOnlyItsWindows) {
  const HostTensor in = floats({1, 1, 4, 1}, {NAN, 1, 2, 3});
  const HostTensor weights = floats({1, 1, 2, 1}, {0, 1});
  expect_floats(evaluate(OpType::kConv2d, conv(kValid), {in, weights}), {1, 1, 3, 1}, {NAN, 2, 3});
}

TEST(RefConv2d, RejectsOtherTypesThanFloat) {
  const HostTensor in = numbers<int8_t>(DataType::kInt8, {1, 1, 1, 1}, {1});
  const HostTensor weights = numbers<int8_t>(DataType::kInt8, {1, 1, 1, 1}, {1});
  const Status status = refusal(OpType::kConv2d, conv(kValid), {in, weights});
  EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
  EXPECT_NE(status.message().find("'input0' is int8 without a scale"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace sightglass::test

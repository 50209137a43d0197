#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"

namespace sightglass::test {
namespace {

constexpr const char* kDilateConvolution = "dilate-convolution";

class Dilate : public ::testing::Test {
 protected:
  ValueId batches(const BatchSpaceAttr& attr) {
    return builder_.node(OpType::kSpaceToBatch, attr, {builder_.input({1, 9, 10, 4})});
  }
  ValueId spread(ValueId data, const BatchSpaceAttr& attr) {
    return builder_.node(OpType::kBatchToSpace, attr, {data});
  }

  CaseBuilder builder_{9};
};

// A dilation of 2 x 3 with SAME as converters write it: 9 + 2 + 3 rows and 10 + 3 + 5 columns, of which 1 and 2 are
// cropped.
const BatchSpaceAttr kPadded{{2, 3}, {2, 3}, {3, 5}};
const BatchSpaceAttr kCropped{{2, 3}, {0, 0}, {1, 2}};

TEST_F(Dilate, AConvolution) {
  spread(conv(builder_, batches(kPadded), {.activation = Activation::kRelu}), kCropped);
  const Graph after = expect_applied(kDilateConvolution, builder_.build("conv"), {OpType::kConv2d});
  const auto attr = std::get<Conv2dAttr>(after.node(after.order()[0]).attributes);
  EXPECT_EQ(attr.dilation_h, 2);
  EXPECT_EQ(attr.dilation_w, 3);
  EXPECT_EQ(attr.padding.top, 2);
  EXPECT_EQ(attr.padding.left, 3);
}

TEST_F(Dilate, AConvolutionWithItsOwnPadding) {
  const ValueId data = batches(kPadded);
  spread(conv(builder_, data, {.padding = {PaddingMode::kSame, 0, 0, 0, 0}}), {{2, 3}, {1, 2}, {0, 1}});
  expect_applied(kDilateConvolution, builder_.build("same"), {OpType::kConv2d});
}

TEST_F(Dilate, ADepthwiseConvolution) {
  const ValueId made = builder_.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{}, 1, 1, 1, 1, 2},
                                     {batches(kPadded), builder_.constant({1, 3, 3, 8})});
  spread(made, kCropped);
  expect_applied(kDilateConvolution, builder_.build("depthwise"), {OpType::kDepthwiseConv2d});
}

TEST_F(Dilate, DeclinesOtherBlocks) {
  spread(conv(builder_, batches(kPadded)), {{3, 2}, {0, 0}, {0, 0}});
  expect_declined(kDilateConvolution, builder_.build("blocks"), "other blocks");
}

TEST_F(Dilate, DeclinesBlocksOfOnlyRows) {
  spread(conv(builder_, batches({{2}, {1}, {2}})), {{2}, {0}, {0}});
  expect_declined(kDilateConvolution, builder_.build("rows"), "two dimensions of blocks");
}

TEST_F(Dilate, DeclinesStrides) {
  spread(conv(builder_, batches(kPadded), {.stride = 2}), {{2, 3}, {0, 0}, {0, 0}});
  expect_declined(kDilateConvolution, builder_.build("strides"), "has strides");
}

TEST_F(Dilate, DeclinesToCropMoreThanThePadding) {
  spread(conv(builder_, batches(kPadded)), {{2, 3}, {3, 0}, {0, 0}});
  expect_declined(kDilateConvolution, builder_.build("crops"), "crops more");
}

TEST_F(Dilate, DeclinesBatchesThatOthersRead) {
  const ValueId data = batches(kPadded);
  const ValueId other = unary(builder_, OpType::kRelu, data);
  const ValueId out = spread(conv(builder_, data), kCropped);
  OpCase forked = builder_.build("forked");
  forked.graph.outputs = {out, other};
  expect_declined(kDilateConvolution, forked, "read by others");
}

TEST_F(Dilate, DeclinesAResultThatOthersRead) {
  const ValueId made = conv(builder_, batches(kPadded));
  const ValueId out = spread(made, kCropped);
  OpCase forked = builder_.build("forked");
  forked.graph.outputs = {out, made};
  expect_declined(kDilateConvolution, forked, "read by others");
}

TEST_F(Dilate, DeclinesAnActivationOfTheBatches) {
  const ValueId data =
      builder_.node(OpType::kSpaceToBatch, kPadded, {builder_.input({1, 9, 10, 4})}, Activation::kRelu);
  spread(conv(builder_, data), kCropped);
  expect_declined(kDilateConvolution, builder_.build("activation"), "has an activation");
}

TEST_F(Dilate, DeclinesADilationThatWouldOverflow) {
  const BatchSpaceAttr blocks{{1 << 20, 1}, {0, 0}, {(1 << 20) - 1, 0}};
  const ValueId data = builder_.node(OpType::kSpaceToBatch, blocks, {builder_.input({1, 1, 1, 1})});
  const ValueId made =
      builder_.node(OpType::kConv2d, Conv2dAttr{{}, 1, 1, 1 << 20, 1}, {data, builder_.constant({1, 1, 1, 1})});
  spread(made, {{1 << 20, 1}, {0, 0}, {(1 << 20) - 1, 0}});
  expect_declined(kDilateConvolution, builder_.build("overflow"), "dilation is too large");
}

TEST_F(Dilate, LeavesAConvolutionWithoutBatches) {
  conv(builder_, builder_.input({1, 6, 6, 4}));
  expect_not_matched(kDilateConvolution, builder_.build("conv"));
}

}  // namespace
}  // namespace sightglass::test

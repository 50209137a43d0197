#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"

namespace sightglass::test {
namespace {

constexpr const char* kFoldPadding = "fold-padding";

PadAttr rows_and_columns(int32_t top, int32_t bottom, int32_t left, int32_t right, float value = 0.0f) {
  return {{0, top, left, 0}, {0, bottom, right, 0}, value};
}

class FoldPadding : public ::testing::Test {
 protected:
  ValueId pad(const PadAttr& attr, ValueId data) { return builder_.node(OpType::kPad, attr, {data}); }

  CaseBuilder builder_{3};
};

TEST_F(FoldPadding, IntoAValidConvolution) {
  conv(builder_, pad(rows_and_columns(0, 1, 2, 3), builder_.input({1, 6, 7, 4})), {.stride = 2});
  const Graph after = expect_applied(kFoldPadding, builder_.build("conv"), {OpType::kConv2d});
  const Padding2d padding = std::get<Conv2dAttr>(after.node(after.order()[0]).attributes).padding;
  EXPECT_EQ(padding.mode, PaddingMode::kExplicit);
  EXPECT_EQ(padding.top, 0);
  EXPECT_EQ(padding.bottom, 1);
  EXPECT_EQ(padding.left, 2);
  EXPECT_EQ(padding.right, 3);
}

// SAME adds its own padding to that of the PAD, for strides that do and do not divide the image size.
TEST_F(FoldPadding, IntoASameConvolution) {
  for (const int32_t stride : {1, 2, 3, 4}) {
    CaseBuilder builder(4);
    const ValueId padded = builder.node(OpType::kPad, rows_and_columns(1, 2, 0, 1), {builder.input({1, 6, 7, 4})});
    conv(builder, padded, {.padding = kSame, .stride = stride});
    expect_applied(kFoldPadding, builder.build("conv, stride " + std::to_string(stride)), {OpType::kConv2d});
  }
}

TEST_F(FoldPadding, IntoADepthwiseConvolution) {
  const ValueId padded = pad(rows_and_columns(1, 1, 1, 1), builder_.input({1, 5, 5, 4}));
  builder_.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{}, 2, 2, 1, 1, 2},
                {padded, builder_.constant({1, 3, 3, 8})});
  expect_applied(kFoldPadding, builder_.build("depthwise"), {OpType::kDepthwiseConv2d});
}

TEST_F(FoldPadding, IntoAMaximumOfNonNegativeValues) {
  const ValueId data = unary(builder_, OpType::kRelu, builder_.input({1, 6, 6, 4}, Fill::kWide));
  builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 3, 3}, {pad(rows_and_columns(0, 1, 1, 2), data)});
  expect_applied(kFoldPadding, builder_.build("maximum"), {OpType::kRelu, OpType::kMaxPool2d});
}

TEST_F(FoldPadding, OnlyForThatReaderOfThePad) {
  const ValueId padded = pad(rows_and_columns(1, 1, 1, 1), builder_.input({1, 6, 6, 4}));
  conv(builder_, padded);
  const ValueId other = unary(builder_, OpType::kRelu, padded);
  OpCase forked = builder_.build("forked");
  const ValueId convolved = forked.graph.node(1).outputs[0];
  forked.graph.outputs = {convolved, other};
  expect_applied(kFoldPadding, forked, {OpType::kPad, OpType::kConv2d, OpType::kRelu});
}

TEST_F(FoldPadding, DeclinesAnAverage) {
  builder_.node(OpType::kAveragePool2d, Pool2dAttr{{}, 1, 1, 3, 3},
                {pad(rows_and_columns(1, 1, 1, 1), builder_.input({1, 6, 6, 4}))});
  expect_declined(kFoldPadding, builder_.build("average"), "an average counts the zeros");
}

TEST_F(FoldPadding, DeclinesAnotherValue) {
  conv(builder_, pad(rows_and_columns(1, 1, 1, 1, 0.5f), builder_.input({1, 6, 6, 4})));
  expect_declined(kFoldPadding, builder_.build("ones"), "a value other than 0");
}

TEST_F(FoldPadding, DeclinesChannels) {
  conv(builder_, pad({{0, 0, 0, 1}, {0, 0, 0, 2}, 0.0f}, builder_.input({1, 6, 6, 1})));
  expect_declined(kFoldPadding, builder_.build("channels"), "pads batches or channels");
}

TEST_F(FoldPadding, DeclinesBatches) {
  conv(builder_, pad({{1, 0, 0, 0}, {}, 0.0f}, builder_.input({1, 6, 6, 4})));
  expect_declined(kFoldPadding, builder_.build("batches"), "pads batches or channels");
}

TEST_F(FoldPadding, DeclinesAPadWithAnActivation) {
  conv(builder_,
       builder_.node(OpType::kPad, rows_and_columns(1, 1, 1, 1), {builder_.input({1, 6, 6, 4})}, Activation::kRelu));
  expect_declined(kFoldPadding, builder_.build("activation"), "the PAD has an activation");
}

TEST_F(FoldPadding, DeclinesAMaximumOfAnyValues) {
  const ValueId data = unary(builder_, OpType::kTanh, builder_.input({1, 6, 6, 4}, Fill::kWide));
  builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 3, 3}, {pad(rows_and_columns(1, 1, 1, 1), data)});
  expect_declined(kFoldPadding, builder_.build("maximum"), "never negative");
}

TEST_F(FoldPadding, DeclinesAMaximumOfOnlyPadding) {
  const ValueId data = unary(builder_, OpType::kRelu, builder_.input({1, 6, 6, 4}, Fill::kWide));
  builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 1, 1, 2, 2}, {pad(rows_and_columns(2, 0, 0, 0), data)});
  expect_declined(kFoldPadding, builder_.build("maximum"), "only padding");
}

TEST_F(FoldPadding, DeclinesOverflow) {
  OpCase huge = [&] {
    conv(builder_, pad(rows_and_columns(1 << 30, 0, 0, 0), builder_.input({1, 1, 1, 1})),
         {.in = 1, .out = 1, .kernel = 1});
    return builder_.build("huge");
  }();
  expect_declined(kFoldPadding, huge, "too large");
}

TEST_F(FoldPadding, LeavesAConvolutionWithoutAPad) {
  conv(builder_, builder_.input({1, 6, 6, 4}));
  expect_not_matched(kFoldPadding, builder_.build("conv"));
}

}  // namespace
}  // namespace sightglass::test

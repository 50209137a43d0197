#include <gtest/gtest.h>

#include <functional>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

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

// The zeros of a PAD are in every range, so that data quantized at run time have the same steps without them.
TEST_F(FoldPadding, ThroughAQuantizationAtRunTime) {
  const ValueId padded = pad(rows_and_columns(1, 2, 0, 1), builder_.input({2, 5, 6, 4}));
  const ValueId steps = builder_.node(OpType::kDynamicQuantize, DynamicQuantizeAttr{8 * 7 * 4, true}, {padded});
  conv(builder_, steps);
  const Graph after =
      expect_applied(kFoldPadding, builder_.build("steps"), {OpType::kDynamicQuantize, OpType::kConv2d});
  EXPECT_EQ(std::get<DynamicQuantizeAttr>(after.node(after.order()[0]).attributes).group, 5 * 6 * 4);
}

// Padding of integers is their zero point. With weights of 8 bits, too.
TEST_F(FoldPadding, OfIntegers) {
  for (const int64_t zero : {-128, -7, 127}) {
    CaseBuilder builder(5);
    const Quantized data{DataType::kInt8, {0.05f}, zero}, weights{DataType::kInt8, {0.01f}, 0, 0};
    const ValueId padded =
        builder.node(OpType::kPad, rows_and_columns(1, 2, 0, 1), {builder.input({1, 6, 7, 4}, data)}, data);
    builder.node(OpType::kConv2d, Conv2dAttr{}, {padded, builder.constant({9, 3, 3, 4}, weights), builder.bias(9)},
                 Quantized{DataType::kInt8, {0.2f}, 3});
    expect_applied(kFoldPadding, builder.build("zero point " + std::to_string(zero)), {OpType::kConv2d});
  }
}

TEST_F(FoldPadding, ThroughAQuantizationForWeightsOfIntegers) {
  const ValueId padded = pad(rows_and_columns(1, 1, 1, 1), builder_.input({1, 6, 6, 4}));
  const ValueId steps = builder_.node(OpType::kDynamicQuantize, DynamicQuantizeAttr{8 * 8 * 4, false}, {padded});
  const Quantized weights{DataType::kInt8, {0.01f}, 0, 0};
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {steps, builder_.constant({9, 3, 3, 4}, weights)});
  expect_applied(kFoldPadding, builder_.build("weights"), {OpType::kDynamicQuantize, OpType::kConv2d});
}

TEST(MergeQuantizations, OfOneTensor) {
  CaseBuilder builder(6);
  const ValueId data = builder.input({1, 6, 6, 4});
  const auto quantized = [&](bool asymmetric) {
    return builder.node(OpType::kDynamicQuantize, DynamicQuantizeAttr{6 * 6 * 4, asymmetric}, {data});
  };
  const ValueId first = conv(builder, quantized(true)), second = conv(builder, quantized(true));
  const ValueId third = conv(builder, quantized(false));
  builder.node(OpType::kAddN, {}, {first, second, third});
  expect_applied("merge-quantizations", builder.build("three readers"),
                 {OpType::kDynamicQuantize, OpType::kConv2d, OpType::kConv2d, OpType::kDynamicQuantize, OpType::kConv2d,
                  OpType::kAddN});
}

TEST_F(FoldPadding, DeclinesAnotherQuantization) {
  const Quantized data{DataType::kInt8, {0.05f}, 3}, other{DataType::kInt8, {0.05f}, 4},
      weights{DataType::kInt8, {0.01f}, 0, 0};
  const ValueId padded =
      builder_.node(OpType::kPad, rows_and_columns(1, 1, 1, 1), {builder_.input({1, 6, 6, 4}, data)}, other);
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {padded, builder_.constant({9, 3, 3, 4}, weights)}, data);
  expect_declined(kFoldPadding, builder_.build("quantization"), "changes the quantization");
}

TEST_F(FoldPadding, DeclinesAMaximumOfATable) {
  const Quantized data{DataType::kInt8, {0.05f}, 3}, weights{DataType::kInt8, {0.01f}, 0, 0};
  const ValueId sums = builder_.node(OpType::kConv2d, Conv2dAttr{},
                                     {builder_.input({1, 6, 6, 4}, data), builder_.constant({4, 1, 1, 4}, weights)},
                                     data, Activation::kRelu);
  const ValueId padded = builder_.node(OpType::kPad, rows_and_columns(1, 1, 1, 1), {sums}, data);
  builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 3, 3}, {padded}, data);
  OpCase op = builder_.build("table");
  Node& conv = op.graph.node(op.graph.order()[0]);
  conv.rounded = op.graph.value(conv.outputs[0]);
  conv.table.assign(256, -100);
  for (size_t i = 0; i < conv.table.size(); i += 2) conv.table[i] = 90;
  expect_declined(kFoldPadding, op, "never negative");
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

constexpr const char* kFoldResidualPool = "fold-residual-pool";

class FoldResidualPool : public ::testing::Test {
 protected:
  ValueId pooled(const Shape& shape = {2, 10, 10, 3}, const Pool2dAttr& attr = {{}, 2, 2, 2, 2}) {
    return builder_.node(OpType::kMaxPool2d, attr, {builder_.input(shape)});
  }
  // A convolution that adds `residual`.
  void add_to_conv(ValueId residual, int32_t kernel = 1, Activation activation = Activation::kNone) {
    const int32_t edge = kernel / 2;
    builder_.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kExplicit, edge, edge, edge, edge}},
                  {builder_.input({2, 5, 5, 4}), builder_.constant({9, kernel, kernel, 4}), kNone, kNone, residual},
                  activation);
  }
  // For a tensor of `make` that others read, too, and for a window.
  void expect_declined_for(const char* rewrite, const std::function<ValueId()>& make) {
    const ValueId read = make();
    add_to_conv(read);
    OpCase forked = builder_.build("two readers");
    forked.graph.outputs.push_back(read);
    expect_declined(rewrite, forked, "is read by others");
    builder_ = CaseBuilder(99);
    add_to_conv(make(), 3);
    expect_declined(rewrite, builder_.build("3x3"), "its kernel is not 1x1");
  }

  CaseBuilder builder_{95};
};

TEST_F(FoldResidualPool, OfEvenAndOddSides) {
  for (const int32_t rows : {9, 10, 11}) {
    for (const int32_t columns : {9, 10, 11}) {
      // Nine become five only with padding, eleven only without.
      if ((rows == 9 && columns == 11) || (rows == 11 && columns == 9)) continue;
      const Padding2d padding = rows == 9 || columns == 9 ? kSame : Padding2d{};
      builder_ = CaseBuilder(96);
      const ValueId data = builder_.input({2, rows, columns, 3});
      add_to_conv(builder_.node(OpType::kMaxPool2d, Pool2dAttr{padding, 2, 2, 2, 2}, {data}));
      const Graph after = expect_applied(kFoldResidualPool, builder_.build("sides"), {OpType::kConv2d});
      EXPECT_EQ(residual_of(after.node(after.order()[0])), data);
    }
  }
}

// A residual block that halves the image, with more channels than before, and its two convolutions in one node.
TEST_F(FoldResidualPool, InABlock) {
  const ValueId in = builder_.input({1, 38, 34, 5});
  const ValueId made = builder_.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{PaddingMode::kSame}, 2, 2},
                                     {in, builder_.constant({1, 3, 3, 5})});
  const ValueId wide = conv(builder_, made, {.in = 5, .out = 7, .kernel = 1});
  const ValueId maxima = builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 2, 2}, {in});
  const ValueId padded = builder_.node(OpType::kPad, PadAttr{{}, {0, 0, 0, 2}}, {maxima});
  builder_.node(OpType::kAdd, {}, {wide, padded}, Activation::kRelu);
  OpCase block = builder_.build("block");
  ASSERT_TRUE(run_rewrites(block.graph).ok());
  ASSERT_EQ(block.graph.order().size(), 1u);
  const Node& node = block.graph.node(block.graph.order()[0]);
  EXPECT_EQ(node.op, OpType::kDepthwisePointwise);
  EXPECT_EQ(node.residual_sampling, ResidualSampling::kPooled);
  EXPECT_EQ(residual_of(node), in);
}

// The same block in 8 bits: its depthwise convolution stays a step.
TEST_F(FoldResidualPool, InABlockOfIntegers) {
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, weights{DataType::kInt8, {0.006f}, 0},
      sums{DataType::kInt8, {0.047f}, 3};
  const ValueId in = builder_.input({1, 12, 10, 5}, data);
  const ValueId made = builder_.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{PaddingMode::kSame}, 2, 2},
                                     {in, builder_.constant({1, 3, 3, 5}, weights), builder_.bias(5)}, sums);
  const ValueId wide = builder_.node(OpType::kConv2d, Conv2dAttr{},
                                     {made, builder_.constant({7, 1, 1, 5}, weights), builder_.bias(7)}, sums);
  const ValueId maxima = builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 2, 2}, {in}, data);
  const ValueId padded = builder_.node(OpType::kPad, PadAttr{{}, {0, 0, 0, 2}}, {maxima}, data);
  builder_.node(OpType::kAdd, SumAttr{}, {wide, padded}, sums, Activation::kRelu);
  OpCase block = builder_.build("integers");
  ASSERT_TRUE(run_rewrites(block.graph).ok());
  ASSERT_EQ(block.graph.order().size(), 2u) << dump_text(block.graph);
  const Node& node = block.graph.node(block.graph.order()[1]);
  EXPECT_EQ(node.residual_sampling, ResidualSampling::kPooled);
  EXPECT_EQ(residual_of(node), in);
}

TEST_F(FoldResidualPool, NotIntoAnotherQuantization) {
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, other{DataType::kInt8, {0.0391f}, 9},
      weights{DataType::kInt8, {0.006f}, 0}, sums{DataType::kInt8, {0.047f}, 3};
  const ValueId image = builder_.input({1, 5, 5, 4}, data);
  const ValueId made = builder_.node(OpType::kConv2d, Conv2dAttr{},
                                     {image, builder_.constant({7, 1, 1, 4}, weights), builder_.bias(7)}, sums);
  const ValueId maxima =
      builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 2, 2}, {builder_.input({1, 10, 10, 7}, data)}, other);
  builder_.node(OpType::kAdd, SumAttr{}, {made, maxima}, sums);
  OpCase block = builder_.build("another quantization");
  ASSERT_TRUE(run_rewrites(block.graph).ok());
  EXPECT_EQ(block.graph.order().size(), 2u) << dump_text(block.graph);
}

TEST_F(FoldResidualPool, NotOfOtherWindows) {
  add_to_conv(pooled({2, 7, 7, 3}, {{}, 1, 1, 3, 3}));
  expect_declined(kFoldResidualPool, builder_.build("3x3"), "not the maximum of 2x2 pixels");
}

TEST_F(FoldResidualPool, NotWithPaddingInFront) {
  add_to_conv(pooled({2, 9, 9, 3}, {{PaddingMode::kExplicit, 1, 0, 1, 0}, 2, 2, 2, 2}));
  expect_declined(kFoldResidualPool, builder_.build("in front"), "not the maximum of 2x2 pixels");
}

TEST_F(FoldResidualPool, NotOfOnePixelForAll) {
  add_to_conv(pooled({2, 2, 2, 9}));
  expect_declined(kFoldResidualPool, builder_.build("one pixel"), "not the maximum of 2x2 pixels");
}

TEST_F(FoldResidualPool, NotIfOthersReadItOrIntoLargerWindows) {
  expect_declined_for(kFoldResidualPool, [&] { return pooled(); });
}

TEST_F(FoldResidualPool, NotAfterTheActivation) {
  add_to_conv(pooled(), 1, Activation::kRelu);
  expect_declined(kFoldResidualPool, with_residual_last(builder_.build("last")), "after its activation");
}

constexpr const char* kFoldResidualResize = "fold-residual-resize";

class FoldResidualResize : public FoldResidualPool {
 protected:
  ValueId resized(const Shape& shape = {2, 3, 2, 9}, const ResizeAttr& attr = {5, 5, false, true},
                  Activation activation = Activation::kNone) {
    return builder_.node(OpType::kResizeBilinear, attr, {builder_.input(shape)}, activation);
  }
};

TEST_F(FoldResidualResize, BeforeAndAfterTheActivation) {
  for (const bool last : {false, true}) {
    builder_ = CaseBuilder(97);
    add_to_conv(resized(), 1, Activation::kRelu);
    OpCase before = builder_.build("resized");
    if (last) before = with_residual_last(std::move(before));
    const Graph after = expect_applied(kFoldResidualResize, before, {OpType::kConv2d});
    EXPECT_EQ(after.node(after.order()[0]).residual_sampling, ResidualSampling::kResized);
    EXPECT_EQ(after.node(after.order()[0]).residual_last, last);
  }
}

TEST_F(FoldResidualResize, OnlyBetweenCenters) {
  for (const auto& [corners, half] : {std::pair{true, false}, {false, false}}) {
    builder_ = CaseBuilder(98);
    add_to_conv(resized({2, 3, 2, 9}, {5, 5, corners, half}));
    expect_declined(kFoldResidualResize, builder_.build("coordinates"), "no centers");
  }
}

TEST_F(FoldResidualResize, NotToFewerPixels) {
  add_to_conv(resized({2, 7, 5, 9}));
  expect_declined(kFoldResidualResize, builder_.build("smaller"), "does not only enlarge");
}

TEST_F(FoldResidualResize, NotToOnePixelForAll) {
  add_to_conv(resized({2, 1, 1, 9}, {1, 1, false, true}));
  expect_declined(kFoldResidualResize, builder_.build("one pixel"), "does not only enlarge");
}

TEST_F(FoldResidualResize, NotWithAnActivation) {
  add_to_conv(resized({2, 3, 2, 9}, {5, 5, false, true}, Activation::kRelu));
  expect_declined(kFoldResidualResize, builder_.build("activation"), "does not only enlarge");
}

TEST_F(FoldResidualResize, NotIfOthersReadItOrIntoLargerWindows) {
  expect_declined_for(kFoldResidualResize, [&] { return resized(); });
}

constexpr const char* kSinkResize = "sink-resize";

class SinkResize : public ::testing::Test {
 protected:
  ValueId resized(const ResizeAttr& attr = {9, 12}) {
    return builder_.node(OpType::kResizeBilinear, attr, {builder_.input({2, 5, 6, 4})});
  }

  CaseBuilder builder_{91};
};

TEST_F(SinkResize, WithAnyCoordinates) {
  for (const auto& [corners, half] : {std::pair{false, false}, {true, false}, {false, true}}) {
    CaseBuilder builder(92);
    const ValueId data = builder.input({2, 5, 6, 4});
    const ValueId large = builder.node(OpType::kResizeBilinear, ResizeAttr{9, 12, corners, half}, {data});
    conv(builder, large, {.out = 3, .kernel = 1});
    expect_applied(kSinkResize, builder.build("coordinates"), {OpType::kConv2d, OpType::kResizeBilinear});
  }
}

TEST_F(SinkResize, TheActivationComesLast) {
  conv(builder_, resized(), {.out = 4, .kernel = 1, .activation = Activation::kRelu6});
  const Graph after = expect_applied(kSinkResize, builder_.build("RELU6"), {OpType::kConv2d, OpType::kResizeBilinear});
  EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kNone);
  EXPECT_EQ(after.node(after.order()[1]).activation, Activation::kRelu6);
}

TEST_F(SinkResize, NotThroughLargerWindows) {
  conv(builder_, resized(), {.out = 4, .kernel = 3});
  expect_not_matched(kSinkResize, builder_.build("3x3"));
}

TEST_F(SinkResize, NotToFewerPixels) {
  conv(builder_, resized({3, 4}), {.out = 4, .kernel = 1});
  expect_declined(kSinkResize, builder_.build("smaller"), "does not enlarge");
}

TEST_F(SinkResize, NotToMoreChannels) {
  conv(builder_, resized(), {.out = 5, .kernel = 1});
  expect_declined(kSinkResize, builder_.build("more channels"), "more channels");
}

TEST_F(SinkResize, NotIfOthersReadIt) {
  const ValueId large = resized();
  conv(builder_, large, {.out = 4, .kernel = 1});
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(large);
  expect_declined(kSinkResize, forked, "is read by others");
}

TEST_F(SinkResize, NotAfterAnActivation) {
  const ValueId large =
      builder_.node(OpType::kResizeBilinear, ResizeAttr{9, 12}, {builder_.input({1, 5, 6, 4})}, Activation::kRelu);
  conv(builder_, large, {.out = 4, .kernel = 1});
  expect_declined(kSinkResize, builder_.build("activation"), "has an activation");
}

TEST_F(SinkResize, NotWithAPrelu) {
  const std::vector<ValueId> inputs{resized(), builder_.constant({4, 1, 1, 4}), kNone, builder_.constant({4})};
  builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs, Activation::kPrelu);
  expect_declined(kSinkResize, builder_.build("PRELU"), "PRELU");
}

TEST_F(SinkResize, NotWithAResidual) {
  std::vector<ValueId> inputs{resized(), builder_.constant({4, 1, 1, 4})};
  inputs.resize(kResidualInput, kNone);
  inputs.push_back(builder_.input({2, 9, 12, 4}));
  builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs);
  expect_declined(kSinkResize, builder_.build("residual"), "reads other tensors");
}

}  // namespace
}  // namespace sightglass::test

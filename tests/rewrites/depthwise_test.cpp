#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

constexpr const char* kFuseDepthwise = "fuse-depthwise";

struct Depthwise {
  int32_t channels = 6, kernel = 3, multiplier = 1;
  int32_t stride = 1, dilation = 1;
  Activation activation = Activation::kNone;
  bool bias = true;
};

ValueId depthwise(CaseBuilder& builder, ValueId data, const Depthwise& d = {}) {
  const int32_t out = d.channels * d.multiplier;
  const DepthwiseConv2dAttr attr{{PaddingMode::kSame}, d.stride, d.stride, d.dilation, d.dilation, d.multiplier};
  std::vector<ValueId> inputs{data, builder.constant({1, d.kernel, d.kernel, out})};
  if (d.bias) inputs.push_back(builder.constant({out}));
  return builder.node(OpType::kDepthwiseConv2d, attr, inputs, d.activation);
}

class FuseDepthwise : public ::testing::Test {
 protected:
  ValueId data(int32_t channels = 6) { return builder_.input({1, 17, 19, channels}); }
  // A depthwise convolution that the rewrite does not match.
  void expect_declined_for(const Depthwise& spec, const std::string& reason) {
    const int32_t side = 16 * spec.stride;
    const ValueId in = builder_.input({1, side, side, spec.channels});
    conv(builder_, depthwise(builder_, in, spec), {.in = spec.channels * spec.multiplier, .kernel = 1});
    expect_declined(kFuseDepthwise, builder_.build("depthwise"), reason);
  }

  CaseBuilder builder_{51};
};

TEST_F(FuseDepthwise, WithItsActivationAndGeometry) {
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kRelu6}) {
    for (const bool bias : {false, true}) {
      CaseBuilder builder(52);
      const ValueId in = builder.input({2, 35, 33, 6});
      const ValueId between = depthwise(builder, in, {.stride = 2, .activation = activation, .bias = bias});
      conv(builder, between, {.in = 6, .out = 16, .kernel = 1, .bias = bias, .activation = Activation::kHardSwish});
      const Graph after = expect_applied(kFuseDepthwise, builder.build("pair"), {OpType::kDepthwisePointwise});
      const Node& node = after.node(after.order()[0]);
      EXPECT_EQ(node.inputs[0], in);
      EXPECT_EQ(node.activation, Activation::kHardSwish);
      EXPECT_EQ(std::get<DepthwisePointwiseAttr>(node.attributes).between, activation);
      EXPECT_EQ(std::get<DepthwisePointwiseAttr>(node.attributes).depthwise.stride_h, 2);
      EXPECT_EQ(node.inputs[kDepthwiseBias] != kNone, bias);
    }
  }
}

TEST_F(FuseDepthwise, WithADilation) {
  conv(builder_, depthwise(builder_, data(), {.dilation = 2}), {.in = 6, .kernel = 1});
  expect_applied(kFuseDepthwise, builder_.build("dilation"), {OpType::kDepthwisePointwise});
}

// The convolution already has its residual and its PRELU when it is fused.
TEST_F(FuseDepthwise, AWholeBlock) {
  const ValueId in = data();
  const ValueId made = conv(builder_, depthwise(builder_, in), {.in = 6, .out = 6, .kernel = 1});
  const ValueId sum = builder_.node(OpType::kAdd, {}, {in, made});
  builder_.node(OpType::kPrelu, {}, {sum, builder_.constant({1, 1, 6})});
  OpCase block = builder_.build("block");
  ASSERT_TRUE(run_rewrites(block.graph).ok());
  ASSERT_EQ(block.graph.order().size(), 1u);
  const Node& node = block.graph.node(block.graph.order()[0]);
  EXPECT_EQ(node.op, OpType::kDepthwisePointwise);
  EXPECT_EQ(node.activation, Activation::kPrelu);
  EXPECT_EQ(residual_of(node), in);
}

TEST_F(FuseDepthwise, AScaleBeforeItStaysOutside) {
  OpCase scaled = [&] {
    const ValueId product = builder_.node(OpType::kMul, {}, {data(), builder_.constant({6})});
    std::vector<ValueId> inputs{product, builder_.constant({4, 1, 1, 6})};
    inputs.resize(kDepthwiseBias + 1, kNone);
    inputs[kDepthwiseWeights] = builder_.constant({1, 3, 3, 6});
    builder_.node(OpType::kDepthwisePointwise, DepthwisePointwiseAttr{{{PaddingMode::kSame}}}, inputs);
    return builder_.build("scaled");
  }();
  expect_not_matched("fold-scale-bias", scaled);
}

TEST_F(FuseDepthwise, NotWithTooManyOutputs) {
  for (const auto& [side, out] : {std::pair{33, 33}, {17, 193}}) {
    builder_ = CaseBuilder(53);
    conv(builder_, depthwise(builder_, builder_.input({1, side, side, 6})), {.in = 6, .out = out, .kernel = 1});
    expect_declined(kFuseDepthwise, builder_.build("wide"), std::to_string(out) + " output channels");
  }
}

TEST_F(FuseDepthwise, WithAnAddend) {
  const ValueId in = data();
  const ValueId made = depthwise(builder_, in, {.activation = Activation::kRelu});
  std::vector<ValueId> inputs{made, builder_.constant({8, 1, 1, 6})};
  inputs.resize(kAddendInput, kNone);
  inputs.push_back(in);
  builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs);
  const Graph after = expect_applied(kFuseDepthwise, builder_.build("addend"), {OpType::kDepthwisePointwise});
  EXPECT_EQ(addend_of(after.node(after.order()[0])), in);
}

TEST_F(FuseDepthwise, MoreOutputsWithAsManyChannels) {
  conv(builder_, depthwise(builder_, data(17), {.channels = 17}), {.in = 17, .out = 17, .kernel = 1});
  expect_applied(kFuseDepthwise, builder_.build("square"), {OpType::kDepthwisePointwise});
}

TEST_F(FuseDepthwise, NotMoreOutputsWithMoreChannels) {
  const ValueId made = depthwise(builder_, builder_.input({1, 33, 32, 18}), {.channels = 18});
  conv(builder_, made, {.in = 18, .out = 17, .kernel = 1});
  expect_declined(kFuseDepthwise, builder_.build("narrowing"), "18 channels for 17 outputs");
}

TEST_F(FuseDepthwise, NotMoreOutputsInLargeImages) {
  conv(builder_, depthwise(builder_, builder_.input({1, 55, 55, 6})), {.in = 6, .out = 17, .kernel = 1});
  expect_declined(kFuseDepthwise, builder_.build("large"), "3025 pixels with 17 outputs");
}

class FuseDepthwiseResidual : public FuseDepthwise {
 protected:
  // A depthwise convolution with a residual, and a 1×1 convolution.
  OpCase block(const Shape& residual, Activation activation, bool last, bool both = false) {
    const DepthwiseConv2dAttr attr{{PaddingMode::kSame}};
    residual_ = builder_.input(residual);
    const ValueId made = builder_.node(OpType::kDepthwiseConv2d, attr,
                                       {data(), builder_.constant({1, 3, 3, 6}), kNone, kNone, residual_}, activation);
    std::vector<ValueId> inputs{made, builder_.constant({8, 1, 1, 6}), kNone, kNone};
    if (both) inputs.push_back(builder_.input({1, 17, 19, 8}));
    builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs);
    OpCase result = builder_.build("residual");
    result.graph.node(result.graph.order()[0]).residual_last = last;
    return result;
  }

  ValueId residual_ = kNone;
};

TEST_F(FuseDepthwiseResidual, BecomesAnAddend) {
  for (const bool last : {false, true}) {
    builder_ = CaseBuilder(54);
    const OpCase before = block({1, 17, 19, 6}, last ? Activation::kRelu : Activation::kNone, last);
    const Graph after = expect_applied(kFuseDepthwise, before, {OpType::kDepthwisePointwise});
    const Node& node = after.node(after.order()[0]);
    EXPECT_EQ(addend_of(node), residual_);
    EXPECT_FALSE(node.residual_last);
  }
}

TEST_F(FuseDepthwiseResidual, NotBeforeTheActivation) {
  expect_declined(kFuseDepthwise, block({1, 17, 19, 6}, Activation::kRelu, false), "before its activation");
}

TEST_F(FuseDepthwiseResidual, NotOfAnotherShape) {
  expect_declined(kFuseDepthwise, block({1, 1, 1, 6}, Activation::kRelu, true), "of another shape");
}

TEST_F(FuseDepthwiseResidual, NotInBothConvolutions) {
  expect_declined(kFuseDepthwise, block({1, 17, 19, 6}, Activation::kRelu, true, true), "both convolutions add");
}

TEST_F(FuseDepthwise, ModerateImages) {
  for (const int32_t kernel : {3, 5}) {
    for (const auto& [side, out] : {std::pair{1, 1}, {3, 192}, {32, 17}}) {
      builder_ = CaseBuilder(53);
      const ValueId in = builder_.input({2, side, side, 257});
      conv(builder_, depthwise(builder_, in, {257, kernel}), {.in = 257, .out = out, .kernel = 1});
      expect_applied(kFuseDepthwise, builder_.build("moderate"), {OpType::kDepthwisePointwise});
    }
  }
}

TEST_F(FuseDepthwise, NotInLargeImages) {
  for (const auto& [kernel, channels] : {std::pair{3, 257}, {5, 6}}) {
    builder_ = CaseBuilder(53);
    const ValueId in = builder_.input({1, 33, 32, channels});
    conv(builder_, depthwise(builder_, in, {.channels = channels, .kernel = kernel}), {.in = channels, .kernel = 1});
    expect_declined(kFuseDepthwise, builder_.build("large"), kernel == 3 ? "257 channels" : "kernel not 3x3");
  }
}

TEST_F(FuseDepthwise, NotWithOtherKernels) { expect_declined_for({.kernel = 7}, "not 3x3 or 5x5"); }
TEST_F(FuseDepthwise, NotWithAMultiplier) { expect_declined_for({.multiplier = 2}, "several outputs"); }
TEST_F(FuseDepthwise, NotWithALongStride) { expect_declined_for({.stride = 3}, "stride of 3"); }
TEST_F(FuseDepthwise, NotWithStrideAndDilation) {
  expect_declined_for({.stride = 2, .dilation = 2}, "a stride and a dilation");
}
TEST_F(FuseDepthwise, NotAfterOtherActivations) {
  expect_declined_for({.activation = Activation::kHardSwish}, "activation hard_swish");
}

TEST_F(FuseDepthwise, NotIfOthersReadTheDepthwise) {
  const ValueId made = depthwise(builder_, data());
  const ValueId other = unary(builder_, OpType::kTanh, made);
  conv(builder_, made, {.in = 6, .kernel = 1});
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(other);
  expect_declined(kFuseDepthwise, forked, "is read by others");
}

TEST_F(FuseDepthwise, NotIntoGroups) {
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {depthwise(builder_, data()), builder_.constant({4, 1, 1, 3})});
  expect_declined(kFuseDepthwise, builder_.build("groups"), "in groups");
}

TEST_F(FuseDepthwise, NotWithComputedWeights) {
  const DepthwiseConv2dAttr attr{{PaddingMode::kSame}};
  const ValueId made = builder_.node(OpType::kDepthwiseConv2d, attr, {data(), builder_.input({1, 3, 3, 6})});
  conv(builder_, made, {.in = 6, .kernel = 1});
  expect_declined(kFuseDepthwise, builder_.build("computed"), "not constant");
}

TEST_F(FuseDepthwise, NotBeforeOtherConvolutions) {
  const ValueId made = depthwise(builder_, data());
  conv(builder_, made, {.in = 6, .kernel = 1, .stride = 2});
  expect_not_matched(kFuseDepthwise, builder_.build("stride"));
  CaseBuilder other(53);
  conv(other, depthwise(other, other.input({1, 17, 19, 6})), {.in = 6, .kernel = 3});
  expect_not_matched(kFuseDepthwise, other.build("3x3"));
}

constexpr const char* kFuseAddend = "fuse-addend";

class FuseAddend : public ::testing::Test {
 protected:
  ValueId add(ValueId a, ValueId b, Activation activation = Activation::kNone) {
    return builder_.node(OpType::kAdd, {}, {a, b}, activation);
  }
  ValueId data(int32_t channels = 4) { return builder_.input({2, 5, 5, channels}); }
  ValueId mean(ValueId in, const std::vector<int32_t>& axes = {1, 2}) {
    return builder_.node(OpType::kMean, ReduceAttr{axes, true}, {in});
  }

  CaseBuilder builder_{71};
};

TEST_F(FuseAddend, IntoAConvolution) {
  const ValueId a = data(), b = data();
  conv(builder_, add(a, b), {.kernel = 1, .activation = Activation::kRelu});
  const Graph after = expect_applied(kFuseAddend, builder_.build("sum"), {OpType::kConv2d});
  EXPECT_EQ(after.node(after.order()[0]).inputs[0], a);
  EXPECT_EQ(addend_of(after.node(after.order()[0])), b);
}

TEST_F(FuseAddend, IntoAMean) {
  const ValueId a = data(), b = data();
  mean(add(a, b));
  const Graph after = expect_applied(kFuseAddend, builder_.build("mean"), {OpType::kMean});
  EXPECT_EQ(addend_of(after.node(after.order()[0])), b);
}

// The product, and not the first summand, stays the data: it becomes a gate.
TEST_F(FuseAddend, WithAGate) {
  const ValueId a = data(), b = data(), gate = builder_.input({2, 1, 1, 4});
  conv(builder_, add(b, builder_.node(OpType::kMul, {}, {a, gate})), {.kernel = 1});
  OpCase both = builder_.build("gate and addend");
  ASSERT_TRUE(run_rewrites(both.graph).ok());
  ASSERT_EQ(both.graph.order().size(), 1u);
  const Node& node = both.graph.node(both.graph.order()[0]);
  EXPECT_EQ(node.inputs[0], a);
  EXPECT_EQ(gate_of(node), gate);
  EXPECT_EQ(addend_of(node), b);
}

// The depthwise convolution adds its input, and with it becomes part of the convolution.
TEST_F(FuseAddend, AConvolutionBeforeItComesFirst) {
  const ValueId in = builder_.input({1, 17, 19, 6});
  conv(builder_, add(in, unary(builder_, OpType::kRelu, depthwise(builder_, in))), {.in = 6, .kernel = 1});
  OpCase both = builder_.build("depthwise");
  expect_not_matched(kFuseAddend, [&] {
    OpCase activated = both;
    EXPECT_TRUE(run_rewrites(activated.graph, std::vector{Rewrite{"fuse-activation", fuse_activation}}).ok());
    return activated;
  }());
  ASSERT_TRUE(run_rewrites(both.graph).ok());
  ASSERT_EQ(both.graph.order().size(), 1u);
  const Node& node = both.graph.node(both.graph.order()[0]);
  EXPECT_EQ(node.op, OpType::kDepthwisePointwise);
  EXPECT_EQ(addend_of(node), in);
}

TEST_F(FuseAddend, NotWithAnActivation) {
  conv(builder_, add(data(), data(), Activation::kRelu), {.kernel = 1});
  expect_declined(kFuseAddend, builder_.build("activation"), "the addition has the activation relu");
}

TEST_F(FuseAddend, NotIfShapesDiffer) {
  conv(builder_, add(data(), builder_.input({2, 1, 1, 4})), {.kernel = 1});
  expect_declined(kFuseAddend, builder_.build("broadcast"), "the shapes differ");
}

TEST_F(FuseAddend, NotIfOthersReadTheSum) {
  const ValueId sum = add(data(), data());
  const ValueId other = unary(builder_, OpType::kTanh, sum);
  conv(builder_, sum, {.kernel = 1});
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(other);
  expect_declined(kFuseAddend, forked, "is read by others");
}

TEST_F(FuseAddend, OneOfTwo) {
  mean(add(add(data(), data()), data()));
  OpCase two = builder_.build("two sums");
  ASSERT_TRUE(run_rewrites(two.graph).ok());
  EXPECT_EQ(two.graph.order().size(), 2u);
}

TEST_F(FuseAddend, NotBeforeAGate) {
  std::vector<ValueId> inputs{add(data(), data()), builder_.constant({8, 1, 1, 4}), kNone, kNone, kNone};
  inputs.push_back(builder_.input({2, 1, 1, 4}));
  builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs);
  expect_declined(kFuseAddend, builder_.build("gate"), "gate comes after");
}

TEST_F(FuseAddend, NotWithAResidual) {
  builder_.node(OpType::kConv2d, Conv2dAttr{},
                {add(data(), data()), builder_.constant({8, 1, 1, 4}), kNone, kNone, data(8)});
  expect_declined(kFuseAddend, builder_.build("residual"), "adds a tensor to its sums");
}

TEST_F(FuseAddend, NotForManyOutputs) {
  conv(builder_, add(data(), data()), {.out = 33, .kernel = 1});
  expect_declined(kFuseAddend, builder_.build("wide"), "33 output channels");
}

TEST_F(FuseAddend, NotIntoGroups) {
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {add(data(), data()), builder_.constant({4, 1, 1, 2})});
  expect_declined(kFuseAddend, builder_.build("groups"), "in groups");
}

TEST_F(FuseAddend, NotOfConstants) {
  conv(builder_, add(data(), builder_.constant({2, 5, 5, 4})), {.kernel = 1});
  expect_not_matched(kFuseAddend, builder_.build("constant"));
}

TEST_F(FuseAddend, NotIntoOtherReaders) {
  conv(builder_, add(data(), data()), {.kernel = 3});
  expect_not_matched(kFuseAddend, builder_.build("3x3"));
  CaseBuilder other(72);
  const ValueId sum = other.node(OpType::kAdd, {}, {other.input({2, 5, 5, 4}), other.input({2, 5, 5, 4})});
  other.node(OpType::kMean, ReduceAttr{{1}, true}, {sum});
  expect_not_matched(kFuseAddend, other.build("rows"));
}

constexpr const char* kFuseResidual = "fuse-residual";

class FuseResidual : public ::testing::Test {
 protected:
  ValueId add(ValueId a, ValueId b, Activation activation = Activation::kNone) {
    return builder_.node(OpType::kAdd, {}, {a, b}, activation);
  }
  ValueId data(const Shape& shape = {1, 5, 5, 4}) { return builder_.input(shape); }

  CaseBuilder builder_{31};
};

TEST_F(FuseResidual, EitherSummandMayBeTheConvolution) {
  for (const bool first : {false, true}) {
    CaseBuilder builder(32);
    const ValueId made = conv(builder, builder.input({1, 5, 5, 4}), {.out = 8, .kernel = 1});
    const ValueId other = builder.input({1, 5, 5, 8});
    builder.node(OpType::kAdd, {}, first ? std::vector{made, other} : std::vector{other, made}, Activation::kRelu6);
    const Graph after = expect_applied(kFuseResidual, builder.build("residual"), {OpType::kConv2d});
    const Node& node = after.node(after.order()[0]);
    EXPECT_EQ(node.activation, Activation::kRelu6);
    EXPECT_EQ(residual_of(node), other);
  }
}

TEST_F(FuseResidual, WithoutABias) {
  const ValueId in = data();
  add(in, conv(builder_, in, {.out = 4, .kernel = 1, .bias = false}));
  expect_applied(kFuseResidual, builder_.build("no bias"), {OpType::kConv2d});
}

// The other summand may be computed after the convolution.
TEST_F(FuseResidual, TheConvolutionMovesToTheAddition) {
  const ValueId in = data();
  const ValueId made = conv(builder_, in, {.out = 4, .kernel = 1});
  add(made, unary(builder_, OpType::kTanh, in));
  expect_applied(kFuseResidual, builder_.build("later"), {OpType::kTanh, OpType::kConv2d});
}

TEST_F(FuseResidual, OnlyOneOfTwoConvolutions) {
  const ValueId in = data();
  add(conv(builder_, in, {.out = 4, .kernel = 1}), conv(builder_, in, {.out = 4, .kernel = 1}));
  expect_applied(kFuseResidual, builder_.build("two"), {OpType::kConv2d, OpType::kConv2d});
}

// The activation of a node with a residual is applied to the sum.
TEST_F(FuseResidual, APreluAfterItIsFusedInTurn) {
  const ValueId in = data();
  const ValueId sum = add(in, conv(builder_, in, {.out = 4, .kernel = 1}));
  builder_.node(OpType::kPrelu, {}, {sum, builder_.constant({1, 1, 4})});
  OpCase both = builder_.build("residual and PRELU");
  ASSERT_TRUE(run_rewrites(both.graph).ok());
  ASSERT_EQ(both.graph.order().size(), 1u);
  const Node& node = both.graph.node(both.graph.order()[0]);
  EXPECT_EQ(node.activation, Activation::kPrelu);
  EXPECT_TRUE(both.graph.is_constant(node.inputs[3]));
  EXPECT_EQ(residual_of(node), in);
}

TEST_F(FuseResidual, AfterAnActivation) {
  for (const bool is_depthwise : {false, true}) {
    CaseBuilder builder(34);
    const ValueId in = builder.input({1, 5, 5, 6}), other = builder.input({1, 5, 5, 6});
    const ValueId made =
        is_depthwise ? depthwise(builder, in, {.activation = Activation::kRelu})
                     : conv(builder, in, {.in = 6, .out = 6, .padding = kSame, .activation = Activation::kRelu});
    builder.node(OpType::kAdd, {}, {other, made});
    const OpType op = is_depthwise ? OpType::kDepthwiseConv2d : OpType::kConv2d;
    const Graph after = expect_applied(kFuseResidual, builder.build("last"), {op});
    const Node& node = after.node(after.order()[0]);
    EXPECT_EQ(node.activation, Activation::kRelu);
    EXPECT_TRUE(node.residual_last);
    EXPECT_EQ(residual_of(node), other);
  }
}

TEST_F(FuseResidual, IntoADepthwiseConvolution) {
  const ValueId in = data({1, 5, 5, 6});
  add(depthwise(builder_, in, {.multiplier = 2}), data({1, 5, 5, 12}), Activation::kRelu6);
  const Graph after = expect_applied(kFuseResidual, builder_.build("depthwise"), {OpType::kDepthwiseConv2d});
  EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kRelu6);
  EXPECT_FALSE(after.node(after.order()[0]).residual_last);
}

TEST_F(FuseResidual, IntoAPair) {
  const ValueId in = builder_.input({1, 17, 19, 6});
  const ValueId made = conv(builder_, depthwise(builder_, in), {.in = 6, .out = 6, .kernel = 1});
  add(in, unary(builder_, OpType::kRelu, made));
  OpCase block = builder_.build("pair");
  ASSERT_TRUE(run_rewrites(block.graph).ok());
  ASSERT_EQ(block.graph.order().size(), 1u);
  const Node& node = block.graph.node(block.graph.order()[0]);
  EXPECT_EQ(node.op, OpType::kDepthwisePointwise);
  EXPECT_TRUE(node.residual_last);
}

// Whichever summand it is: sums of a convolution come first.
TEST_F(FuseResidual, PrefersSums) {
  for (const bool first : {false, true}) {
    CaseBuilder builder(35);
    const ValueId in = builder.input({1, 5, 5, 6});
    const ValueId sums = conv(builder, in, {.in = 6, .out = 6, .kernel = 1});
    const ValueId made = depthwise(builder, in, {.activation = Activation::kRelu});
    builder.node(OpType::kAdd, {}, first ? std::vector{sums, made} : std::vector{made, sums}, Activation::kRelu);
    expect_applied(kFuseResidual, builder.build("two"), {OpType::kDepthwiseConv2d, OpType::kConv2d});
  }
}

TEST_F(FuseResidual, NotBetweenTwoActivations) {
  const ValueId in = data();
  add(in, conv(builder_, in, {.out = 4, .kernel = 1, .activation = Activation::kRelu}), Activation::kRelu6);
  expect_declined(kFuseResidual, builder_.build("activation"), "has the activation relu, and the addition another");
}

// A maximum must not take the result for one that is never negative.
TEST_F(FuseResidual, LastItMakesNegativeResults) {
  const ValueId in = data();
  const ValueId made = conv(builder_, in, {.out = 4, .kernel = 1, .activation = Activation::kRelu});
  const ValueId padded = builder_.node(OpType::kPad, PadAttr{{0, 1, 1, 0}, {0, 1, 1, 0}}, {add(in, made)});
  builder_.node(OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 3, 3}, {padded});
  OpCase pooled = builder_.build("maximum");
  ASSERT_TRUE(run_rewrites(pooled.graph).ok());
  EXPECT_EQ(pooled.graph.order().size(), 3u);
}

TEST_F(FuseResidual, OneValuePerChannel) {
  CaseBuilder builder(33);
  const ValueId made = conv(builder, builder.input({2, 5, 5, 4}), {.out = 6, .kernel = 1});
  builder.node(OpType::kAdd, {}, {builder.input({2, 1, 1, 6}), made}, Activation::kRelu);
  expect_applied(kFuseResidual, builder.build("broadcast"), {OpType::kConv2d});
}

TEST_F(FuseResidual, NotIfShapesDiffer) {
  const ValueId in = data();
  add(builder_.input({1, 5, 1, 4}), conv(builder_, in, {.out = 4, .kernel = 1}));
  expect_declined(kFuseResidual, builder_.build("columns"), "the shapes differ");
}

TEST_F(FuseResidual, NotIfTheSumIsLarger) {
  const ValueId made = conv(builder_, builder_.input({1, 1, 1, 4}), {.out = 4, .kernel = 1});
  add(data(), made);
  expect_declined(kFuseResidual, builder_.build("of one pixel"), "the shapes differ");
}

TEST_F(FuseResidual, NotIfOthersReadTheConvolution) {
  const ValueId in = data();
  const ValueId made = conv(builder_, in, {.out = 4, .kernel = 1});
  const ValueId other = unary(builder_, OpType::kTanh, made);
  add(in, made);
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(other);
  expect_declined(kFuseResidual, forked, "is read by others");
}

TEST_F(FuseResidual, NotTwice) {
  const ValueId in = data();
  const ValueId sum = add(in, conv(builder_, in, {.out = 4, .kernel = 1}));
  add(sum, builder_.input({1, 5, 5, 4}));
  OpCase twice = builder_.build("twice");
  ASSERT_TRUE(run_rewrites(twice.graph).ok());
  EXPECT_EQ(twice.graph.order().size(), 2u);
}

TEST_F(FuseResidual, NotBesideAnAddend) {
  std::vector<ValueId> inputs{data(), builder_.constant({4, 1, 1, 4})};
  inputs.resize(kAddendInput, kNone);
  inputs.push_back(data());
  add(builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs), data());
  expect_declined(kFuseResidual, builder_.build("addend"), "adds a tensor already");
}

TEST_F(FuseResidual, NotIntoGroups) {
  const ValueId made = builder_.node(OpType::kConv2d, Conv2dAttr{}, {data(), builder_.constant({4, 1, 1, 2})});
  add(builder_.input({1, 5, 5, 4}), made);
  expect_declined(kFuseResidual, builder_.build("groups"), "in groups");
}

TEST_F(FuseResidual, NotWithoutAConvolution) {
  const ValueId in = data();
  add(in, unary(builder_, OpType::kTanh, in));
  expect_not_matched(kFuseResidual, builder_.build("no convolution"));
}

TEST_F(FuseResidual, NotOneTensorTwice) {
  const ValueId made = conv(builder_, data(), {.out = 4, .kernel = 1});
  add(made, made);
  expect_not_matched(kFuseResidual, builder_.build("doubled"));
}

constexpr const char* kFoldResidualPadding = "fold-residual-padding";

class FoldResidualPadding : public FuseResidual {
 protected:
  ValueId padded(const PadAttr& attr, const Shape& shape = {2, 5, 5, 3}) {
    return builder_.node(OpType::kPad, attr, {builder_.input(shape)});
  }
  // A 1×1 convolution that adds `residual`.
  void add_to_conv(ValueId residual) {
    builder_.node(OpType::kConv2d, Conv2dAttr{},
                  {builder_.input({2, 5, 5, 4}), builder_.constant({9, 1, 1, 4}), kNone, kNone, residual});
  }
};

TEST_F(FoldResidualPadding, AfterTheChannels) {
  const ValueId data = builder_.input({2, 5, 5, 3});
  add_to_conv(builder_.node(OpType::kPad, PadAttr{{}, {0, 0, 0, 6}}, {data}));
  const Graph after = expect_applied(kFoldResidualPadding, builder_.build("channels"), {OpType::kConv2d});
  EXPECT_EQ(residual_of(after.node(after.order()[0])), data);
}

TEST_F(FoldResidualPadding, ThePaddedTensorStaysForOthers) {
  const ValueId wide = padded({{}, {0, 0, 0, 6}});
  const ValueId other = unary(builder_, OpType::kTanh, wide);
  add_to_conv(wide);
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(other);
  expect_applied(kFoldResidualPadding, forked, {OpType::kPad, OpType::kTanh, OpType::kConv2d});
}

TEST_F(FoldResidualPadding, NotInFrontOfTheChannels) {
  add_to_conv(padded({{0, 0, 0, 2}, {0, 0, 0, 4}}));
  expect_declined(kFoldResidualPadding, builder_.build("in front"), "other than after");
}

TEST_F(FoldResidualPadding, NotAroundTheImage) {
  add_to_conv(padded({{}, {0, 1, 0, 6}}, {2, 4, 5, 3}));
  expect_declined(kFoldResidualPadding, builder_.build("rows"), "other than after");
}

TEST_F(FoldResidualPadding, NotWithOtherValues) {
  add_to_conv(padded({{}, {0, 0, 0, 6}, 1.0f}));
  expect_declined(kFoldResidualPadding, builder_.build("ones"), "value other than 0");
}

TEST_F(FoldResidualPadding, NotOfOtherTensors) {
  add_to_conv(builder_.input({2, 5, 5, 9}));
  expect_not_matched(kFoldResidualPadding, builder_.build("no padding"));
}

// The scale would also apply to its additions.
TEST_F(FuseResidual, AScaleAfterItStaysOutside) {
  const ValueId in = data();
  const ValueId sum = add(in, conv(builder_, in, {.out = 4, .kernel = 1}));
  builder_.node(OpType::kMul, {}, {sum, builder_.constant({4})});
  OpCase scaled = builder_.build("scaled");
  ASSERT_TRUE(run_rewrites(scaled.graph).ok());
  EXPECT_EQ(scaled.graph.order().size(), 2u);
}

}  // namespace
}  // namespace sightglass::test

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
  conv(builder_, depthwise(builder_, data()), {.in = 6, .out = 17, .kernel = 1});
  expect_declined(kFuseDepthwise, builder_.build("wide"), "17 output channels");
}

TEST_F(FuseDepthwise, NotInSmallImages) {
  const ValueId in = builder_.input({1, 15, 17, 6});
  conv(builder_, depthwise(builder_, in), {.in = 6, .kernel = 1});
  expect_declined(kFuseDepthwise, builder_.build("small"), "255 pixels");
}

TEST_F(FuseDepthwise, NotOfManyChannels) { expect_declined_for({.channels = 257}, "257 channels"); }
TEST_F(FuseDepthwise, NotWithOtherKernels) { expect_declined_for({.kernel = 5}, "not 3x3"); }
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

}  // namespace
}  // namespace sightglass::test

#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

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

TEST_F(FuseResidual, NotAfterAnActivation) {
  const ValueId in = data();
  add(in, conv(builder_, in, {.out = 4, .kernel = 1, .activation = Activation::kRelu}));
  expect_declined(kFuseResidual, builder_.build("activation"), "has the activation relu");
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

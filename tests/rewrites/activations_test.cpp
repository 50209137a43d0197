#include <gtest/gtest.h>

#include "harness/value_of.h"
#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

constexpr const char* kFuseActivation = "fuse-activation";

struct Function {
  OpType op;
  Activation activation;
};
constexpr Function kFunctions[] = {
    {OpType::kRelu, Activation::kRelu},           {OpType::kRelu6, Activation::kRelu6},
    {OpType::kReluN1To1, Activation::kReluN1To1}, {OpType::kLogistic, Activation::kLogistic},
    {OpType::kTanh, Activation::kTanh},           {OpType::kHardSwish, Activation::kHardSwish},
};

// A node that can carry an activation, of 8 channels.
ValueId producer(CaseBuilder& builder, OpType op, ValueId data) {
  switch (op) {
    case OpType::kConv2d:
      return conv(builder, data);
    case OpType::kDepthwiseConv2d:
      return builder.node(op, DepthwiseConv2dAttr{{}, 1, 1, 1, 1, 2}, {data, builder.constant({1, 3, 3, 8})});
    case OpType::kTransposeConv:
      return builder.node(op, TransposeConvAttr{{}, 2, 2, 11, 11}, {data, builder.constant({8, 3, 3, 4})});
    case OpType::kFullyConnected:
      return builder.node(op, FullyConnectedAttr{true}, {data, builder.constant({8, 4})});
    case OpType::kAveragePool2d:
    case OpType::kMaxPool2d:
      return builder.node(op, Pool2dAttr{{}, 1, 1, 2, 2}, {data});
    case OpType::kMean:
      return builder.node(op, ReduceAttr{{1, 2}, true}, {data});
    case OpType::kResizeBilinear:
      return builder.node(op, ResizeAttr{7, 6}, {data});
    case OpType::kConcat:
      return builder.node(op, ConcatAttr{3}, {data, data});
    default:
      return builder.node(op, {}, {data, builder.constant({5, 4}, Fill::kWide)});
  }
}

TEST(FuseActivation, IntoEveryProducer) {
  for (const OpType op : {OpType::kConv2d, OpType::kDepthwiseConv2d, OpType::kTransposeConv, OpType::kFullyConnected,
                          OpType::kAveragePool2d, OpType::kMaxPool2d, OpType::kMean, OpType::kAdd, OpType::kSub,
                          OpType::kMul, OpType::kMaximum, OpType::kMinimum, OpType::kResizeBilinear, OpType::kConcat}) {
    for (const Function& function : kFunctions) {
      CaseBuilder builder(21);
      unary(builder, function.op, producer(builder, op, builder.input({3, 5, 5, 4}, Fill::kWide)));
      const Graph after = expect_applied(
          kFuseActivation, builder.build(std::string(to_string(function.op)) + " into " + to_string(op)), {op});
      EXPECT_EQ(after.node(after.order()[0]).activation, function.activation);
    }
  }
}

TEST(FuseActivation, PreluIntoNodesWithWeights) {
  for (const OpType op : {OpType::kConv2d, OpType::kDepthwiseConv2d, OpType::kTransposeConv, OpType::kFullyConnected}) {
    for (const Shape& slope : {Shape{8}, Shape{1, 1, 8}, Shape{1}}) {
      CaseBuilder builder(22);
      const ValueId data = producer(builder, op, builder.input({1, 5, 5, 4}));
      builder.node(OpType::kPrelu, {}, {data, builder.constant(slope)});
      const Graph after = expect_applied(
          kFuseActivation, builder.build("PRELU of " + slope.to_string() + " into " + to_string(op)), {op});
      const Node& node = after.node(after.order()[0]);
      EXPECT_EQ(node.activation, Activation::kPrelu);
      ASSERT_EQ(node.inputs.size(), 4u);
      EXPECT_EQ(node.inputs[2] != kNone, op == OpType::kConv2d) << "only the convolution has a bias";
      EXPECT_EQ(after.value(node.inputs[3]).shape.elements(), 8);
    }
  }
}

TEST(FuseActivation, OnlyOneOfSeveral) {
  CaseBuilder builder(23);
  unary(builder, OpType::kTanh, unary(builder, OpType::kRelu, conv(builder, builder.input({1, 5, 5, 4}))));
  Graph after = builder.build("two in a row").graph;
  const auto report = value_of(run_rewrites(after));
  ASSERT_EQ(after.order().size(), 2u);
  EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kRelu);
  EXPECT_EQ(after.node(after.order()[1]).op, OpType::kTanh);
}

class FuseActivationDeclines : public ::testing::Test {
 protected:
  FuseActivationDeclines() : data_(builder_.input({1, 5, 5, 4})) {}
  void expect(const char* reason) { expect_declined(kFuseActivation, builder_.build(reason), reason); }

  CaseBuilder builder_{24};
  ValueId data_;
};

TEST_F(FuseActivationDeclines, AnInputOfTheGraph) {
  unary(builder_, OpType::kRelu, data_);
  expect("no operator computes its input");
}

TEST_F(FuseActivationDeclines, AnUnsuitableProducer) {
  unary(builder_, OpType::kRelu, builder_.node(OpType::kSoftmax, SoftmaxAttr{}, {data_}));
  expect("cannot apply relu");
}

TEST_F(FuseActivationDeclines, PreluWithoutWeights) {
  const ValueId sum = builder_.node(OpType::kAdd, {}, {data_, builder_.constant({4})});
  builder_.node(OpType::kPrelu, {}, {sum, builder_.constant({4})});
  expect("cannot apply prelu");
}

TEST_F(FuseActivationDeclines, AnExistingActivation) {
  unary(builder_, OpType::kTanh, conv(builder_, data_, {.activation = Activation::kRelu}));
  expect("has the activation relu");
}

TEST_F(FuseActivationDeclines, AnActivationOnTheActivation) {
  builder_.node(OpType::kTanh, {}, {conv(builder_, data_)}, Activation::kRelu);
  expect("it has the activation relu");
}

TEST_F(FuseActivationDeclines, AnotherReader) {
  const ValueId convolved = conv(builder_, data_);
  builder_.node(OpType::kMaximum, {}, {unary(builder_, OpType::kTanh, convolved), convolved});
  expect("is read by others as well");
}

TEST_F(FuseActivationDeclines, AnOutput) {
  const ValueId convolved = conv(builder_, data_);
  const ValueId activated = unary(builder_, OpType::kTanh, convolved);
  OpCase two = builder_.build("two outputs");
  two.graph.outputs = {convolved, activated};
  expect_declined(kFuseActivation, two, "is an output of the graph");
}

TEST_F(FuseActivationDeclines, ASlopeThatVariesBetweenPixels) {
  builder_.node(OpType::kPrelu, {}, {conv(builder_, data_), builder_.constant({3, 3, 8})});
  expect("not a constant with one number per channel");
}

TEST_F(FuseActivationDeclines, AComputedSlope) {
  const ValueId slope = builder_.input({8});
  builder_.node(OpType::kPrelu, {}, {conv(builder_, data_), slope});
  expect("not a constant with one number per channel");
}

constexpr const char* kFuseGate = "fuse-gate";

class FuseGate : public ::testing::Test {
 protected:
  ValueId mul(ValueId a, ValueId b, Activation activation = Activation::kNone) {
    return builder_.node(OpType::kMul, {}, {a, b}, activation);
  }
  ValueId data() { return builder_.input({2, 5, 5, 4}); }
  ValueId gate() { return builder_.input({2, 1, 1, 4}); }

  CaseBuilder builder_{41};
};

TEST_F(FuseGate, EitherFactorMayBeTheGate) {
  for (const bool first : {false, true}) {
    for (const int32_t kernel : {1, 3}) {
      CaseBuilder builder(42);
      const ValueId data = builder.input({2, 5, 5, 4}), gate = builder.input({2, 1, 1, 4});
      const ValueId product = builder.node(OpType::kMul, {}, first ? std::vector{gate, data} : std::vector{data, gate});
      conv(builder, product, {.kernel = kernel, .padding = {PaddingMode::kSame, 0, 0, 0, 0}});
      const Graph after = expect_applied(kFuseGate, builder.build("gate"), {OpType::kConv2d});
      EXPECT_EQ(gate_of(after.node(after.order()[0])), gate);
    }
  }
}

// Either rewrite may come first.
TEST_F(FuseGate, WithAResidual) {
  const ValueId in = data();
  const ValueId made = conv(builder_, mul(in, gate()), {.out = 4, .kernel = 1});
  builder_.node(OpType::kAdd, {}, {in, made}, Activation::kRelu);
  OpCase both = builder_.build("gate and residual");
  ASSERT_TRUE(run_rewrites(both.graph).ok());
  ASSERT_EQ(both.graph.order().size(), 1u);
  const Node& node = both.graph.node(both.graph.order()[0]);
  EXPECT_EQ(residual_of(node), in);
  EXPECT_NE(gate_of(node), kNone);
}

TEST_F(FuseGate, NotWithAnActivation) {
  conv(builder_, mul(data(), gate(), Activation::kRelu));
  expect_not_matched(kFuseGate, builder_.build("activation"));
}

TEST_F(FuseGate, NotForWholeImages) {
  conv(builder_, mul(data(), data()));
  expect_not_matched(kFuseGate, builder_.build("two pictures"));
}

TEST_F(FuseGate, NotIfOthersReadTheProduct) {
  const ValueId product = mul(data(), gate());
  const ValueId other = unary(builder_, OpType::kTanh, product);
  conv(builder_, product);
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(other);
  expect_declined(kFuseGate, forked, "is read by others");
}

TEST_F(FuseGate, NotIntoGroups) {
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {mul(data(), gate()), builder_.constant({4, 1, 1, 2})});
  expect_declined(kFuseGate, builder_.build("groups"), "in groups");
}

TEST_F(FuseGate, OneOfTwo) {
  conv(builder_, mul(mul(data(), gate()), gate()));
  OpCase two = builder_.build("two gates");
  ASSERT_TRUE(run_rewrites(two.graph).ok());
  EXPECT_EQ(two.graph.order().size(), 2u);
}

// An addition before the gate differs from one after it.
TEST_F(FuseGate, AnAdditionBeforeItStaysOutside) {
  const ValueId sum = builder_.node(OpType::kAdd, {}, {data(), builder_.constant({4})});
  conv(builder_, mul(sum, gate()), {.kernel = 1});
  OpCase added = builder_.build("addition");
  ASSERT_TRUE(run_rewrites(added.graph).ok());
  EXPECT_EQ(added.graph.order().size(), 2u);
}

}  // namespace
}  // namespace sightglass::test

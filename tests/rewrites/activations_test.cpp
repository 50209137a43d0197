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

constexpr const char* kFuseExcitation = "fuse-excitation";

class FuseExcitation : public ::testing::Test {
 protected:
  ValueId mean(ValueId data, Activation activation = Activation::kNone) {
    return builder_.node(OpType::kMean, ReduceAttr{{1, 2}, true}, {data}, activation);
  }
  ValueId both(ValueId data, int32_t in = 6, int32_t between = 3, Activation first = Activation::kRelu) {
    const ValueId squeezed = conv(builder_, data, {.in = in, .out = between, .kernel = 1, .activation = first});
    return conv(builder_, squeezed, {.in = between, .out = in, .kernel = 1, .activation = Activation::kLogistic});
  }

  CaseBuilder builder_{61};
};

TEST_F(FuseExcitation, WithTheMeanBefore) {
  const ValueId data = builder_.input({2, 7, 9, 6});
  both(mean(data));
  const Graph after = expect_applied(kFuseExcitation, builder_.build("block"), {OpType::kSqueezeExcite});
  const Node& node = after.node(after.order()[0]);
  EXPECT_EQ(node.inputs[0], data);
  EXPECT_EQ(node.activation, Activation::kLogistic);
  EXPECT_EQ(std::get<SqueezeExciteAttr>(node.attributes).between, Activation::kRelu);
}

TEST_F(FuseExcitation, WithoutBiases) {
  const ValueId data = builder_.input({1, 5, 5, 6});
  const ValueId squeezed = conv(builder_, mean(data), {.in = 6, .out = 3, .kernel = 1, .bias = false});
  conv(builder_, squeezed, {.in = 3, .kernel = 1, .bias = false});
  expect_applied(kFuseExcitation, builder_.build("no bias"), {OpType::kSqueezeExcite});
}

TEST_F(FuseExcitation, OfOnePixelThatIsNoMean) {
  both(builder_.input({1, 1, 1, 6}));
  expect_applied(kFuseExcitation, builder_.build("pixel"), {OpType::kSqueezeExcite});
}

TEST_F(FuseExcitation, TheMeanStaysIfOthersReadIt) {
  const ValueId made = mean(builder_.input({1, 5, 5, 6}));
  builder_.node(OpType::kMul, {}, {made, both(made)});
  expect_applied(kFuseExcitation, builder_.build("read twice"), {OpType::kMean, OpType::kSqueezeExcite, OpType::kMul});
}

TEST_F(FuseExcitation, TheMeanOfALargeImageStays) {
  both(mean(builder_.input({1, 128, 65, 6})));
  expect_applied(kFuseExcitation, builder_.build("large"), {OpType::kMean, OpType::kSqueezeExcite});
}

TEST_F(FuseExcitation, AMeanWithAnActivationStays) {
  both(mean(builder_.input({1, 5, 5, 6}), Activation::kRelu));
  expect_applied(kFuseExcitation, builder_.build("relu"), {OpType::kMean, OpType::kSqueezeExcite});
}

TEST_F(FuseExcitation, NotOfImages) {
  both(builder_.input({1, 1, 2, 6}));
  expect_not_matched(kFuseExcitation, builder_.build("image"));
}

TEST_F(FuseExcitation, NotWithAPreluBetween) {
  const ValueId squeezed =
      builder_.node(OpType::kConv2d, Conv2dAttr{},
                    {builder_.input({1, 1, 1, 6}), builder_.constant({3, 1, 1, 6}), kNone, builder_.constant({3})},
                    Activation::kPrelu);
  conv(builder_, squeezed, {.in = 3, .kernel = 1});
  expect_declined(kFuseExcitation, builder_.build("prelu"), "activation prelu");
}

TEST_F(FuseExcitation, NotIfOthersReadTheFirstConvolution) {
  const ValueId squeezed = conv(builder_, builder_.input({1, 1, 1, 6}), {.in = 6, .out = 3, .kernel = 1});
  const ValueId other = unary(builder_, OpType::kTanh, squeezed);
  conv(builder_, squeezed, {.in = 3, .kernel = 1});
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(other);
  expect_declined(kFuseExcitation, forked, "is read by others");
}

TEST_F(FuseExcitation, NotWithManyWeights) {
  both(builder_.input({1, 1, 1, 512}), 512, 129);
  expect_declined(kFuseExcitation, builder_.build("weights"), "132096 weights");
}

TEST_F(FuseExcitation, NotWithManyChannels) {
  both(builder_.input({1, 1, 1, 1025}), 1025, 2);
  expect_declined(kFuseExcitation, builder_.build("channels"), "1025 channels");
}

TEST_F(FuseExcitation, NotWithComputedWeights) {
  const ValueId squeezed = conv(builder_, builder_.input({1, 1, 1, 6}), {.in = 6, .out = 3, .kernel = 1});
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {squeezed, builder_.input({4, 1, 1, 3})});
  expect_declined(kFuseExcitation, builder_.build("computed"), "not float constants");
}

TEST_F(FuseExcitation, AScaleBeforeItStaysOutside) {
  const ValueId product = builder_.node(OpType::kMul, {}, {builder_.input({1, 4, 4, 6}), builder_.constant({6})});
  std::vector<ValueId> inputs{product, builder_.constant({4, 1, 1, 3})};
  inputs.resize(kSqueezeBias + 1, kNone);
  inputs[kSqueezeWeights] = builder_.constant({3, 1, 1, 6});
  builder_.node(OpType::kSqueezeExcite, SqueezeExciteAttr{}, inputs);
  expect_not_matched("fold-scale-bias", builder_.build("scaled"));
}

TEST_F(FuseExcitation, TheMeanBringsItsAddend) {
  const ValueId data = builder_.input({2, 7, 9, 6}), addend = builder_.input({2, 7, 9, 6});
  both(builder_.node(OpType::kMean, ReduceAttr{{1, 2}, true}, {data, addend}));
  const Graph after = expect_applied(kFuseExcitation, builder_.build("sum"), {OpType::kSqueezeExcite});
  EXPECT_EQ(addend_of(after.node(after.order()[0])), addend);
}

constexpr const char* kFuseMean = "fuse-mean";

class FuseMean : public FuseExcitation {};

TEST_F(FuseMean, WithItsAddend) {
  for (const bool added : {false, true}) {
    CaseBuilder builder(62);
    std::vector<ValueId> inputs{builder.input({2, 7, 9, 6})};
    if (added) inputs.push_back(builder.input({2, 7, 9, 6}));
    const ValueId pixel = builder.node(OpType::kMean, ReduceAttr{{1, 2}, true}, inputs);
    conv(builder, pixel, {.in = 6, .kernel = 1, .bias = added, .activation = Activation::kLogistic});
    const Graph after = expect_applied(kFuseMean, builder.build("mean"), {OpType::kSqueezeExcite});
    const Node& node = after.node(after.order()[0]);
    EXPECT_EQ(addend_of(node), added ? inputs[1] : kNone);
    EXPECT_EQ(node.activation, Activation::kLogistic);
  }
}

TEST_F(FuseMean, TwoConvolutionsComeFirst) {
  both(mean(builder_.input({1, 5, 5, 6})));
  OpCase block = builder_.build("block");
  ASSERT_TRUE(run_rewrites(block.graph).ok());
  ASSERT_EQ(block.graph.order().size(), 1u);
  EXPECT_NE(block.graph.node(block.graph.order()[0]).inputs[kSqueezeWeights], kNone);
}

TEST_F(FuseMean, NotOfOtherPixels) {
  conv(builder_, builder_.input({1, 1, 1, 6}), {.in = 6, .kernel = 1});
  expect_not_matched(kFuseMean, builder_.build("pixel"));
}

TEST_F(FuseMean, NotIfOthersReadTheMean) {
  const ValueId pixel = mean(builder_.input({1, 5, 5, 6}));
  builder_.node(OpType::kMul, {}, {pixel, conv(builder_, pixel, {.in = 6, .out = 6, .kernel = 1})});
  expect_declined(kFuseMean, builder_.build("read twice"), "cannot move");
}

TEST_F(FuseMean, NotOfALargeImage) {
  conv(builder_, mean(builder_.input({1, 128, 65, 6})), {.in = 6, .kernel = 1});
  expect_declined(kFuseMean, builder_.build("large"), "too large for one group");
}

TEST_F(FuseMean, NotWithManyWeights) {
  conv(builder_, mean(builder_.input({1, 2, 2, 512})), {.in = 512, .out = 257, .kernel = 1});
  expect_declined(kFuseMean, builder_.build("weights"), "131584 weights");
}

TEST_F(FuseMean, NotWithManyChannels) {
  conv(builder_, mean(builder_.input({1, 2, 2, 1025})), {.in = 1025, .out = 2, .kernel = 1});
  expect_declined(kFuseMean, builder_.build("channels"), "1025 channels");
}

TEST_F(FuseMean, NotWithComputedWeights) {
  builder_.node(OpType::kConv2d, Conv2dAttr{}, {mean(builder_.input({1, 5, 5, 6})), builder_.input({4, 1, 1, 6})});
  expect_declined(kFuseMean, builder_.build("computed"), "not float constants");
}

constexpr const char* kFuseSpread = "fuse-spread";

class FuseSpread : public ::testing::Test {
 protected:
  // A depthwise convolution and a TRANSPOSE_CONV of blocks.
  OpCase block(int32_t out, int32_t kernel, int32_t depthwise_kernel = 3, Activation activation = Activation::kNone) {
    CaseBuilder builder(61);
    const ValueId in = builder.input({2, 5, 7, 6}),
                  weights = builder.constant({1, depthwise_kernel, depthwise_kernel, 6});
    const ValueId made = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{PaddingMode::kSame}},
                                      {in, weights, builder.constant({6})}, Activation::kRelu);
    const int32_t rest = kernel - 2;
    std::vector<ValueId> inputs{made, builder.constant({out, kernel, kernel, 6}), builder.constant({out})};
    if (activation == Activation::kPrelu) inputs.push_back(builder.constant({out}));
    builder.node(OpType::kTransposeConv, TransposeConvAttr{{PaddingMode::kValid}, 2, 2, 10 + rest, 14 + rest}, inputs,
                 activation);
    return builder.build("block");
  }
};

TEST_F(FuseSpread, BlocksOfOneChannel) {
  const Graph after = expect_applied(kFuseSpread, block(1, 2, 3, Activation::kLogistic), {OpType::kDepthwisePointwise});
  const Node& node = after.node(after.order()[0]);
  EXPECT_TRUE(std::get<DepthwisePointwiseAttr>(node.attributes).spread);
  EXPECT_EQ(std::get<DepthwisePointwiseAttr>(node.attributes).between, Activation::kRelu);
  EXPECT_EQ(node.activation, Activation::kLogistic);
}

TEST_F(FuseSpread, NotOfOtherBlocks) {
  expect_declined(kFuseSpread, block(2, 2), "blocks of 2x2 pixels of one channel");
  expect_declined(kFuseSpread, block(1, 3), "blocks of 2x2 pixels of one channel");
  expect_declined(kFuseSpread, block(1, 2, 5), "two steps are faster");
  expect_declined(kFuseSpread, block(1, 2, 3, Activation::kPrelu), "PRELU");
}

}  // namespace
}  // namespace sightglass::test

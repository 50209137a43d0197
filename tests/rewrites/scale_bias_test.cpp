#include <gtest/gtest.h>

#include <limits>

#include "rewrites/rewrite_case.h"

namespace sightglass::test {
namespace {

constexpr const char* kFoldScaleBias = "fold-scale-bias";

// A node with weights, from 4 to 8 channels by default.
enum class Weighted { kConv, kGroupedConv, kDepthwise, kTransposeConv, kFullyConnected };

std::string name_of(Weighted kind) {
  const char* const names[] = {"conv", "grouped conv", "depthwise", "transpose conv", "fully connected"};
  return names[static_cast<size_t>(kind)];
}

OpType op_of(Weighted kind) {
  const OpType ops[] = {OpType::kConv2d, OpType::kConv2d, OpType::kDepthwiseConv2d, OpType::kTransposeConv,
                        OpType::kFullyConnected};
  return ops[static_cast<size_t>(kind)];
}

ValueId weighted(CaseBuilder& builder, Weighted kind, ValueId data, bool bias) {
  std::vector<ValueId> inputs{data};
  Attributes attributes;
  switch (kind) {
    case Weighted::kConv:
      attributes = Conv2dAttr{};
      inputs.push_back(builder.constant({8, 3, 3, 4}));
      break;
    case Weighted::kGroupedConv:
      attributes = Conv2dAttr{};
      inputs.push_back(builder.constant({8, 3, 3, 2}));
      break;
    case Weighted::kDepthwise:
      attributes = DepthwiseConv2dAttr{{}, 1, 1, 1, 1, 2};
      inputs.push_back(builder.constant({1, 3, 3, 8}));
      break;
    case Weighted::kTransposeConv:
      attributes = TransposeConvAttr{{}, 2, 2, 11, 11};
      inputs.push_back(builder.constant({8, 3, 3, 4}));
      break;
    case Weighted::kFullyConnected:
      attributes = FullyConnectedAttr{};
      inputs.push_back(builder.constant({8, 100}));
      break;
  }
  if (bias) inputs.push_back(builder.constant({8}));
  return builder.node(op_of(kind), std::move(attributes), std::move(inputs));
}

struct Arithmetic {
  OpType op;
  bool constant_first;
  int32_t channels;  // of the constant; 1 for a scalar
};

const Arithmetic kArithmetic[] = {
    {OpType::kMul, false, 4}, {OpType::kMul, true, 1}, {OpType::kAdd, false, 1}, {OpType::kAdd, true, 4},
    {OpType::kSub, false, 4}, {OpType::kSub, true, 4}, {OpType::kSub, false, 1},
};

ValueId arithmetic(CaseBuilder& builder, const Arithmetic& what, ValueId data, int32_t channels) {
  const ValueId constant = builder.constant(what.channels == 1 ? Shape{} : Shape{1, 1, channels});
  return builder.node(what.op, {}, what.constant_first ? std::vector{constant, data} : std::vector{data, constant});
}

std::string case_name(const Arithmetic& what, Weighted kind, const char* where) {
  return std::string(to_string(what.op)) + (what.constant_first ? " constant first" : "") +
         (what.channels == 1 ? " scalar " : " per channel ") + where + " " + name_of(kind);
}

constexpr Weighted kAllWeighted[] = {Weighted::kConv, Weighted::kGroupedConv, Weighted::kDepthwise,
                                     Weighted::kTransposeConv, Weighted::kFullyConnected};

TEST(FoldScaleBias, AfterEveryNodeWithWeights) {
  for (const Weighted kind : kAllWeighted) {
    for (const Arithmetic& what : kArithmetic) {
      // The rank of the constant is at most that of the data, which is 2 after FULLY_CONNECTED.
      if (kind == Weighted::kFullyConnected && what.channels != 1) continue;
      for (const bool bias : {false, true}) {
        CaseBuilder builder(11);
        arithmetic(builder, what, weighted(builder, kind, builder.input({1, 5, 5, 4}), bias), 8);
        expect_applied(kFoldScaleBias, builder.build(case_name(what, kind, "after")), {op_of(kind)});
      }
    }
  }
}

TEST(FoldScaleBias, BeforeEveryNodeWithWeights) {
  for (const Weighted kind : kAllWeighted) {
    for (const Arithmetic& what : kArithmetic) {
      if (kind == Weighted::kTransposeConv && what.op != OpType::kMul) continue;
      for (const bool bias : {false, true}) {
        CaseBuilder builder(12);
        weighted(builder, kind, arithmetic(builder, what, builder.input({1, 5, 5, 4}), 4), bias);
        expect_applied(kFoldScaleBias, builder.build(case_name(what, kind, "before")), {op_of(kind)});
      }
    }
  }
}

TEST(FoldScaleBias, PerChannelAfterFullyConnected) {
  CaseBuilder builder(13);
  const ValueId product = weighted(builder, Weighted::kFullyConnected, builder.input({1, 5, 5, 4}), true);
  builder.node(OpType::kMul, {}, {product, builder.constant({8})});
  expect_applied(kFoldScaleBias, builder.build("per channel after fully connected"), {OpType::kFullyConnected});
}

TEST(FoldScaleBias, ChainAroundAConvolution) {
  CaseBuilder builder(14);
  const ValueId scaled = builder.node(OpType::kMul, {}, {builder.input({1, 5, 5, 4}), builder.constant({4})});
  const ValueId shifted = builder.node(OpType::kSub, {}, {scaled, builder.constant({})});
  const ValueId product = builder.node(OpType::kMul, {}, {conv(builder, shifted), builder.constant({8})});
  builder.node(OpType::kAdd, {}, {product, builder.constant({8})}, Activation::kRelu6);
  const Graph after = expect_applied(kFoldScaleBias, builder.build("chain"), {OpType::kConv2d});
  EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kRelu6);
}

TEST(FoldScaleBias, ScaleBeforeAPaddedConvolution) {
  CaseBuilder builder(15);
  conv(builder, builder.node(OpType::kMul, {}, {builder.input({1, 5, 5, 4}), builder.constant({4})}),
       {.padding = kSame});
  expect_applied(kFoldScaleBias, builder.build("scale, padded"), {OpType::kConv2d});
}

TEST(FoldScaleBias, WeightsStoredAsHalves) {
  CaseBuilder builder(16);
  builder.node(OpType::kMul, {}, {conv(builder, builder.input({1, 5, 5, 4})), builder.constant({8})});
  OpCase halves = builder.build("halves");
  const ValueId weights = halves.graph.node(0).inputs[1];
  store_as_half(halves.graph, weights);
  const Graph after = expect_applied(kFoldScaleBias, halves, {OpType::kConv2d});
  const ValueId folded = after.node(after.order()[0]).inputs[1];
  EXPECT_EQ(after.value(folded).constant->type, DataType::kFloat32);
  EXPECT_EQ(after.value(weights).constant->type, DataType::kFloat16) << "other nodes may use the old constant";
}

TEST(FoldScaleBias, SharedWeightsStayForTheOthers) {
  CaseBuilder builder(17);
  const ValueId data = builder.input({1, 5, 5, 4});
  const ValueId weights = builder.constant({8, 1, 1, 4});
  const ValueId a = builder.node(OpType::kConv2d, Conv2dAttr{}, {data, weights});
  const ValueId b = builder.node(OpType::kConv2d, Conv2dAttr{}, {data, weights});
  builder.node(OpType::kMaximum, {}, {builder.node(OpType::kMul, {}, {a, builder.constant({8})}), b});
  expect_applied(kFoldScaleBias, builder.build("shared weights"), {OpType::kConv2d, OpType::kConv2d, OpType::kMaximum});
}

class FoldScaleBiasDeclines : public ::testing::Test {
 protected:
  FoldScaleBiasDeclines() : data_(builder_.input({1, 5, 5, 4})) {}

  ValueId scale(ValueId data, const Shape& shape) {
    return builder_.node(OpType::kMul, {}, {data, builder_.constant(shape)});
  }
  void expect(const char* reason) { expect_declined(kFoldScaleBias, builder_.build(reason), reason); }

  CaseBuilder builder_{18};
  ValueId data_;
};

TEST_F(FoldScaleBiasDeclines, AnActivationBetween) {
  scale(conv(builder_, data_, {.activation = Activation::kRelu}), {8});
  expect("has the activation relu");
}

TEST_F(FoldScaleBiasDeclines, AnActivationOfThePrecedingArithmetic) {
  conv(builder_, builder_.node(OpType::kMul, {}, {data_, builder_.constant({4})}, Activation::kRelu));
  expect("has the activation relu");
}

TEST_F(FoldScaleBiasDeclines, AnotherReaderAfter) {
  const ValueId convolved = conv(builder_, data_);
  builder_.node(OpType::kMaximum, {}, {scale(convolved, {8}), convolved});
  expect("read by others");
}

TEST_F(FoldScaleBiasDeclines, AnotherReaderBefore) {
  const ValueId scaled = scale(data_, {4});
  const ValueId convolved = conv(builder_, scaled, {.out = 4, .kernel = 1});
  builder_.node(OpType::kMaximum, {}, {convolved, scaled});
  expect("read by others");
}

TEST_F(FoldScaleBiasDeclines, AnOutputBetween) {
  const ValueId convolved = conv(builder_, data_);
  const ValueId scaled = scale(convolved, {8});
  OpCase two = builder_.build("two outputs");
  two.graph.outputs = {convolved, scaled};
  expect_declined(kFoldScaleBias, two, "an output as well");
}

TEST_F(FoldScaleBiasDeclines, AConstantThatVariesBetweenPixels) {
  scale(conv(builder_, data_), {1, 3, 3, 8});
  expect("not one finite number per channel");
}

TEST_F(FoldScaleBiasDeclines, AConstantThatBroadcastsTheData) {
  scale(conv(builder_, data_, {.out = 1}), {8});
  expect("not one finite number per channel");
}

TEST_F(FoldScaleBiasDeclines, AnInfiniteConstant) {
  scale(conv(builder_, data_), {});
  OpCase infinite = builder_.build("infinite");
  set_values(infinite.graph, infinite.graph.node(1).inputs[1], {std::numeric_limits<float>::infinity()});
  expect_declined(kFoldScaleBias, infinite, "not one finite number per channel");
}

TEST_F(FoldScaleBiasDeclines, ComputedWeights) {
  const ValueId weights = builder_.input({8, 1, 1, 4});
  scale(builder_.node(OpType::kConv2d, Conv2dAttr{}, {data_, weights}), {8});
  expect("the weights are not float constants");
}

TEST_F(FoldScaleBiasDeclines, AComputedBias) {
  const ValueId bias = builder_.input({8});
  scale(builder_.node(OpType::kConv2d, Conv2dAttr{}, {data_, builder_.constant({8, 1, 1, 4}), bias}), {8});
  expect("the bias is not a constant");
}

TEST_F(FoldScaleBiasDeclines, AnAdditionBeforePadding) {
  conv(builder_, builder_.node(OpType::kAdd, {}, {data_, builder_.constant({4})}), {.padding = kSame});
  expect("padding adds zeros after the addition");
}

TEST_F(FoldScaleBiasDeclines, AnAdditionBeforeATransposedConvolution) {
  const ValueId shifted = builder_.node(OpType::kAdd, {}, {data_, builder_.constant({4})});
  weighted(builder_, Weighted::kTransposeConv, shifted, true);
  expect("transposed convolution");
}

TEST_F(FoldScaleBiasDeclines, RowsThatSplitPixels) {
  const ValueId scaled = scale(builder_.input({3, 4}), {4});
  builder_.node(OpType::kFullyConnected, FullyConnectedAttr{}, {scaled, builder_.constant({5, 6})});
  expect("do not take whole pixels");
}

TEST_F(FoldScaleBiasDeclines, WithoutScaleOrBias) {
  builder_.node(OpType::kMul, {}, {conv(builder_, data_), conv(builder_, data_)});
  expect_not_matched(kFoldScaleBias, builder_.build("product of two convolutions"));
}

}  // namespace
}  // namespace sightglass::test

#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"

namespace sightglass::test {
namespace {

constexpr const char* kRemoveIdentities = "remove-identities";
const Shape kShape{1, 4, 4, 8};

// RELU, an identity node, and LOGISTIC, so that both ends are ordinary values.
class Identities : public ::testing::Test {
 protected:
  Identities() : relu_(unary(builder_, OpType::kRelu, builder_.input(kShape, Fill::kWide))) {}

  void expect_removed(const char* name, OpType op, Attributes attributes) {
    unary(builder_, OpType::kLogistic, builder_.node(op, std::move(attributes), {relu_}));
    expect_applied(kRemoveIdentities, builder_.build(name), {OpType::kRelu, OpType::kLogistic});
  }
  void expect_kept(const char* name, OpType op, Attributes attributes) {
    unary(builder_, OpType::kLogistic, builder_.node(op, std::move(attributes), {relu_}));
    expect_not_matched(kRemoveIdentities, builder_.build(name));
  }

  CaseBuilder builder_{1};
  ValueId relu_;
};

TEST_F(Identities, Reshape) { expect_removed("reshape", OpType::kReshape, ReshapeAttr{kShape}); }
TEST_F(Identities, Concat) { expect_removed("concat", OpType::kConcat, ConcatAttr{3}); }
TEST_F(Identities, Pad) { expect_removed("pad", OpType::kPad, PadAttr{}); }
TEST_F(Identities, Resize) { expect_removed("resize", OpType::kResizeBilinear, ResizeAttr{4, 4, false, true}); }
TEST_F(Identities, DepthToSpace) { expect_removed("blocks", OpType::kDepthToSpace, BlockSizeAttr{1}); }
TEST_F(Identities, AveragePool) { expect_removed("average", OpType::kAveragePool2d, Pool2dAttr{}); }
TEST_F(Identities, MaxPool) { expect_removed("maximum", OpType::kMaxPool2d, Pool2dAttr{}); }
TEST_F(Identities, StridedSlice) {
  expect_removed("slice", OpType::kStridedSlice, StridedSliceAttr{{}, {1, 1, 1, 1}, {1, 4, 4, 8}, kShape});
}

TEST_F(Identities, LeaveReshape) { expect_kept("reshape", OpType::kReshape, ReshapeAttr{Shape{4, 4, 8}}); }
TEST_F(Identities, LeaveResize) { expect_kept("resize", OpType::kResizeBilinear, ResizeAttr{4, 5}); }
TEST_F(Identities, LeaveStridedPool) { expect_kept("pool", OpType::kMaxPool2d, Pool2dAttr{{}, 2, 2, 1, 1}); }
TEST_F(Identities, LeaveSamePool) {
  expect_kept("pool", OpType::kMaxPool2d, Pool2dAttr{{PaddingMode::kSame, 1, 1, 1, 1}, 1, 1, 3, 3});
}
TEST_F(Identities, LeaveReversingSlice) {
  expect_kept("reversed", OpType::kStridedSlice, StridedSliceAttr{{0, 3, 0, 0}, {1, -1, 1, 1}, {1, 4, 4, 8}, kShape});
}
TEST_F(Identities, LeavePad) { expect_kept("pad", OpType::kPad, PadAttr{{0, 1, 0, 0}, {}, 0.0f}); }

TEST_F(Identities, ChainOfReshapes) {
  const ValueId first = builder_.node(OpType::kReshape, ReshapeAttr{Shape{16, 8}}, {relu_});
  const ValueId second = builder_.node(OpType::kReshape, ReshapeAttr{Shape{128}}, {first});
  builder_.node(OpType::kReshape, ReshapeAttr{Shape{2, 64}}, {second});
  expect_applied(kRemoveIdentities, builder_.build("chain"), {OpType::kRelu, OpType::kReshape});
}

TEST_F(Identities, ChainBackToTheSameShape) {
  const ValueId first = builder_.node(OpType::kReshape, ReshapeAttr{Shape{16, 8}}, {relu_});
  unary(builder_, OpType::kLogistic, builder_.node(OpType::kReshape, ReshapeAttr{kShape}, {first}));
  expect_applied(kRemoveIdentities, builder_.build("there and back"), {OpType::kRelu, OpType::kLogistic});
}

TEST_F(Identities, ChainKeepsAReshapeThatOthersRead) {
  const ValueId first = builder_.node(OpType::kReshape, ReshapeAttr{Shape{16, 8}}, {relu_});
  const ValueId second = builder_.node(OpType::kReshape, ReshapeAttr{Shape{128}}, {first});
  OpCase chain = builder_.build("forked chain");
  chain.graph.outputs = {first, second};
  const Graph after = expect_applied(kRemoveIdentities, chain, {OpType::kRelu, OpType::kReshape, OpType::kReshape});
  EXPECT_EQ(after.node(after.order()[2]).inputs[0], relu_);
}

TEST_F(Identities, GraphOutputOfANode) {
  builder_.node(OpType::kReshape, ReshapeAttr{kShape}, {relu_});
  expect_applied(kRemoveIdentities, builder_.build("output"), {OpType::kRelu});
}

TEST_F(Identities, DeclineAnActivation) {
  builder_.node(OpType::kConcat, ConcatAttr{3}, {relu_}, Activation::kTanh);
  expect_declined(kRemoveIdentities, builder_.build("activation"), "activation tanh");
}

TEST_F(Identities, DeclineAChainAcrossAnActivation) {
  const ValueId first = builder_.node(OpType::kReshape, ReshapeAttr{Shape{16, 8}}, {relu_}, Activation::kTanh);
  builder_.node(OpType::kReshape, ReshapeAttr{Shape{128}}, {first});
  expect_declined(kRemoveIdentities, builder_.build("activation"), "the first RESHAPE has an activation");
}

TEST_F(Identities, DeclineBetweenInputAndOutput) {
  CaseBuilder builder(2);
  builder.node(OpType::kReshape, ReshapeAttr{kShape}, {builder.input(kShape)});
  expect_declined(kRemoveIdentities, builder.build("nothing"), "output of the graph would be its input");
}

TEST_F(Identities, DeclineBetweenTwoOutputs) {
  const ValueId same = builder_.node(OpType::kReshape, ReshapeAttr{kShape}, {relu_});
  OpCase two = builder_.build("two outputs");
  two.graph.outputs = {relu_, same};
  expect_declined(kRemoveIdentities, two, "another output");
}

}  // namespace
}  // namespace sightglass::test

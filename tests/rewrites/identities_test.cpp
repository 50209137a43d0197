#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

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

// Images of blocks, as window partitions and pixel shuffles have them: some of six dimensions stay neighbors.
TEST(MergedDimensions, ATransposeOfSix) {
  struct Case {
    Shape shape;
    std::vector<int32_t> permutation;
    int rank;
  };
  const Case cases[] = {{{2, 3, 2, 4, 2, 5}, {0, 1, 3, 2, 4, 5}, 4},  {{1, 3, 2, 4, 2, 5}, {0, 1, 3, 2, 4, 5}, 4},
                        {{2, 3, 1, 4, 2, 5}, {1, 2, 3, 0, 5, 4}, 4},  {{1, 1, 1, 1, 1, 1}, {5, 4, 3, 2, 1, 0}, 1},
                        {{1, 3, 1, 4, 1, 13}, {0, 5, 1, 2, 3, 4}, 2}, {{2, 3, 2, 1, 2, 3, 2}, {6, 0, 1, 3, 2, 5, 4}, 4},
                        {{1, 3, 2, 4, 2, 5}, {0, 1, 3, 5, 4, 2}, 5},  {{2, 2, 2, 2, 3, 1}, {4, 3, 2, 1, 0, 5}, 5}};
  for (const Case& c : cases) {
    CaseBuilder builder(1);
    const ValueId in = builder.input({static_cast<int32_t>(c.shape.elements())});
    const ValueId split = builder.node(OpType::kReshape, ReshapeAttr{c.shape}, {in});
    const ValueId moved = builder.node(OpType::kTranspose, TransposeAttr{c.permutation}, {split});
    builder.node(OpType::kReshape, ReshapeAttr{{static_cast<int32_t>(c.shape.elements())}}, {moved});
    const Graph graph =
        expect_applied("merge-dimensions", builder.build(c.shape.to_string()),
                       {OpType::kReshape, OpType::kReshape, OpType::kTranspose, OpType::kReshape, OpType::kReshape});
    for (const NodeId id : graph.order()) {
      if (graph.node(id).op != OpType::kTranspose) continue;
      EXPECT_EQ(graph.value(graph.node(id).outputs[0]).shape.rank(), c.rank) << c.shape.to_string();
    }
  }
}

TEST(MergedDimensions, SixThatAllPart) {
  CaseBuilder builder(1);
  const ValueId in = builder.input({2, 3, 2, 4, 2, 5});
  builder.node(OpType::kTranspose, TransposeAttr{{5, 4, 3, 2, 1, 0}}, {in});
  expect_declined("merge-dimensions", builder.build("reversed"), "it moves 6 separate dimensions");
}

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

constexpr const char* kSplitBroadcast = "split-broadcast";

// Data of 5 × 6 pixels, and values that may be broadcast over them.
class SplitBroadcast : public ::testing::Test {
 protected:
  ValueId data(int32_t channels, int32_t batch = 1) { return builder_.input({batch, 5, 6, channels}); }
  ValueId spread(int32_t channels, int32_t batch = 1, const Shape& from = {1, 1, 1, 1}) {
    const ValueId pooled = builder_.input({batch, from.dim(1), from.dim(2), channels});
    return builder_.node(OpType::kResizeBilinear, ResizeAttr{5, 6, true}, {pooled});
  }
  ValueId concat(std::vector<ValueId> inputs, Activation activation = Activation::kNone) {
    return builder_.node(OpType::kConcat, ConcatAttr{3}, std::move(inputs), activation);
  }

  CaseBuilder builder_{71};
};

TEST_F(SplitBroadcast, OnEitherSideAndInTheMiddle) {
  for (const int place : {0, 1, 2}) {
    CaseBuilder builder(72 + static_cast<uint64_t>(place));
    std::vector<ValueId> inputs{builder.input({2, 5, 6, 3}), builder.input({2, 5, 6, 4})};
    const ValueId pooled = builder.input({2, 1, 1, 5});
    inputs.insert(inputs.begin() + place, builder.node(OpType::kResizeBilinear, ResizeAttr{5, 6}, {pooled}));
    const ValueId all = builder.node(OpType::kConcat, ConcatAttr{3}, inputs);
    conv(builder, all, {.in = 12, .out = 7, .kernel = 1, .activation = Activation::kRelu});
    const Graph after = expect_applied(kSplitBroadcast, builder.build("place " + std::to_string(place)),
                                       {OpType::kConv2d, OpType::kConcat, OpType::kConv2d});
    const Node &once = after.node(after.order()[0]), &rest = after.node(after.order()[2]);
    EXPECT_EQ(once.inputs[0], pooled);
    EXPECT_EQ(once.activation, Activation::kNone);
    EXPECT_EQ(rest.activation, Activation::kRelu);
    EXPECT_EQ(residual_of(rest), once.outputs[0]);
  }
}

TEST_F(SplitBroadcast, OfTwoInputsNoConcatenationRemains) {
  const ValueId other = data(4);
  conv(builder_, concat({spread(5), other}), {.in = 9, .kernel = 1, .bias = false});
  const Graph after = expect_applied(kSplitBroadcast, builder_.build("two"), {OpType::kConv2d, OpType::kConv2d});
  EXPECT_EQ(after.node(after.order()[1]).inputs[0], other);
}

TEST_F(SplitBroadcast, SeveralAtOnce) {
  const ValueId all = concat(
      {spread(5), data(4), builder_.node(OpType::kResizeNearest, ResizeAttr{5, 6}, {builder_.input({1, 1, 1, 2})})});
  conv(builder_, all, {.in = 11, .kernel = 1});
  expect_applied(kSplitBroadcast, builder_.build("several"), {OpType::kConcat, OpType::kConv2d, OpType::kConv2d});
}

TEST_F(SplitBroadcast, WithAPrelu) {
  const ValueId all = concat({spread(5), data(4)});
  const std::vector<ValueId> inputs{all, builder_.constant({8, 1, 1, 9}), builder_.constant({8}),
                                    builder_.constant({8})};
  builder_.node(OpType::kConv2d, Conv2dAttr{}, inputs, Activation::kPrelu);
  expect_applied(kSplitBroadcast, builder_.build("PRELU"), {OpType::kConv2d, OpType::kConv2d});
}

TEST_F(SplitBroadcast, NotIntoALargerWindow) {
  conv(builder_, concat({spread(5), data(4)}), {.in = 9, .kernel = 3});
  expect_not_matched(kSplitBroadcast, builder_.build("3x3"));
}

TEST_F(SplitBroadcast, NotOfMorePixels) {
  conv(builder_, concat({spread(5, 1, {1, 2, 1, 1}), data(4)}), {.in = 9, .kernel = 1});
  expect_not_matched(kSplitBroadcast, builder_.build("two pixels"));
}

TEST_F(SplitBroadcast, NotWithoutOthers) {
  conv(builder_, concat({spread(5), spread(4)}), {.in = 9, .kernel = 1});
  expect_not_matched(kSplitBroadcast, builder_.build("all alike"));
}

TEST_F(SplitBroadcast, NotIfOthersReadTheData) {
  const ValueId all = concat({spread(5), data(4)});
  conv(builder_, all, {.in = 9, .kernel = 1});
  OpCase forked = builder_.build("two readers");
  forked.graph.outputs.push_back(all);
  expect_declined(kSplitBroadcast, forked, "is read by others");
}

TEST_F(SplitBroadcast, NotAfterAnActivation) {
  conv(builder_, concat({spread(5), data(4)}, Activation::kRelu), {.in = 9, .kernel = 1});
  expect_declined(kSplitBroadcast, builder_.build("activation"), "has an activation");
}

constexpr const char* kJoinSlices = "join-slices";

ValueId channels(CaseBuilder& builder, ValueId data, int32_t begin, int32_t count, int32_t stride = 1) {
  return builder.node(OpType::kStridedSlice,
                      StridedSliceAttr{{0, 0, 0, begin}, {1, 1, 1, stride}, {1, 4, 4, count}, {1, 4, 4, count}},
                      {data});
}

TEST(JoinSlices, ThatAreAllOfATensor) {
  CaseBuilder builder(61);
  const ValueId data = builder.input(kShape), other = builder.input(kShape);
  const ValueId second = channels(builder, data, 3, 5);
  const ValueId read = unary(builder, OpType::kRelu, second);
  builder.node(OpType::kConcat, ConcatAttr{3}, {other, channels(builder, data, 0, 3), second, read});
  const Graph after =
      expect_applied(kJoinSlices, builder.build("slices"), {OpType::kStridedSlice, OpType::kRelu, OpType::kConcat});
  EXPECT_EQ(after.node(after.order().back()).inputs.size(), 3u);
}

TEST(JoinSlices, OfASplit) {
  CaseBuilder builder(62);
  const std::vector<ValueId> parts =
      builder.node_with(OpType::kSplit, SplitAttr{3, {3, 1, 4}, false}, {builder.input(kShape)}, 3);
  const ValueId joined = builder.node(OpType::kConcat, ConcatAttr{3}, {parts[0], parts[1], parts[2], parts[1]});
  unary(builder, OpType::kRelu, joined);
  OpCase op = builder.build("split");
  op.graph.outputs = {op.graph.node(op.graph.order().back()).outputs[0]};
  expect_applied(kJoinSlices, op, {OpType::kSplit, OpType::kConcat, OpType::kRelu});
}

TEST(JoinSlices, LeavesOthers) {
  CaseBuilder part(63), swapped(64), spread(65), two(66);
  ValueId data = part.input(kShape);
  part.node(OpType::kConcat, ConcatAttr{3}, {channels(part, data, 0, 3), channels(part, data, 3, 4)});
  expect_not_matched(kJoinSlices, part.build("not all"));
  data = swapped.input(kShape);
  swapped.node(OpType::kConcat, ConcatAttr{3}, {channels(swapped, data, 4, 4), channels(swapped, data, 0, 4)});
  expect_not_matched(kJoinSlices, swapped.build("swapped"));
  data = spread.input(kShape);
  spread.node(OpType::kConcat, ConcatAttr{3}, {channels(spread, data, 0, 4, 2), channels(spread, data, 4, 4)});
  expect_not_matched(kJoinSlices, spread.build("every second one"));
  data = two.input(kShape);
  two.node(OpType::kConcat, ConcatAttr{3}, {channels(two, data, 0, 4), channels(two, two.input(kShape), 4, 4)});
  expect_not_matched(kJoinSlices, two.build("of two tensors"));
}

}  // namespace
}  // namespace sightglass::test

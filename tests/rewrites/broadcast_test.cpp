#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

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

}  // namespace
}  // namespace sightglass::test

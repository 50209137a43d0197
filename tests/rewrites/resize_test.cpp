#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

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

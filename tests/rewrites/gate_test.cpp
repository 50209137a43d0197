#include <gtest/gtest.h>

#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

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

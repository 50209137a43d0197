// Matrix products on values computed by hand.
#include <gtest/gtest.h>

#include "single_op.h"

namespace sightglass::test {
namespace {

const HostTensor kTwoByThree = floats({2, 3}, {1, 2, 3, 4, 5, 6});
const HostTensor kThreeByTwo = floats({3, 2}, {1, 4, 2, 5, 3, 6});  // the same transposed

TEST(RefMatmul, RowsTimesColumns) {
  const HostTensor y = floats({3, 2}, {1, 0, 2, -1, 0, 10});
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{}, {kTwoByThree, y}), {2, 2}, {5, 28, 14, 55});
}

TEST(RefMatmul, EitherOperandMayBeTransposed) {
  const HostTensor y = floats({3, 2}, {1, 0, 2, -1, 0, 10}), y_transposed = floats({2, 3}, {1, 2, 0, 0, -1, 10});
  const std::vector<float> expected{5, 28, 14, 55};
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{true, false}, {kThreeByTwo, y}), {2, 2}, expected);
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{false, true}, {kTwoByThree, y_transposed}), {2, 2},
                expected);
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{true, true}, {kThreeByTwo, y_transposed}), {2, 2},
                expected);
}

TEST(RefMatmul, BatchesBroadcast) {
  const HostTensor x = floats({2, 1, 1, 2}, {1, 2, 3, 4}), y = floats({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{}, {x, y}), {2, 3, 1, 1}, {1, 2, 3, 3, 4, 7});
}

TEST(RefMatmul, RejectsShapesThatDoNotFit) {
  EXPECT_NE(refusal(OpType::kBatchMatmul, BatchMatmulAttr{}, {kTwoByThree, kTwoByThree}).message().find("2x3 and 2x3"),
            std::string::npos);
  EXPECT_NE(refusal(OpType::kBatchMatmul, BatchMatmulAttr{}, {floats({3}, {1, 2, 3}), kThreeByTwo})
                .message()
                .find("not a matrix"),
            std::string::npos);
  const HostTensor two = floats({2, 1, 1}, {1, 2}), three = floats({3, 1, 1}, {1, 2, 3});
  EXPECT_NE(refusal(OpType::kBatchMatmul, BatchMatmulAttr{}, {two, three}).message().find("broadcast"),
            std::string::npos);
}

}  // namespace
}  // namespace sightglass::test

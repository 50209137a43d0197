// Reductions, indices of extremes, and normalizations, on values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "single_op.h"

namespace sightglass::test {
namespace {

TEST(RefReduce, RealNumbers) {
  const HostTensor in = floats({2, 3}, {1, -2, 3, 4, 5, -6});
  expect_floats(evaluate(OpType::kSum, ReduceAttr{{1}, false}, {in}), {2}, {2, 3});
  expect_floats(evaluate(OpType::kSum, ReduceAttr{{0, 1}, true}, {in}), {1, 1}, {5});
  expect_floats(evaluate(OpType::kReduceMax, ReduceAttr{{0}, false}, {in}), {3}, {4, 5, 3});
  expect_floats(evaluate(OpType::kReduceMin, ReduceAttr{{1}, true}, {in}), {2, 1}, {-2, -6});
  expect_floats(evaluate(OpType::kReduceProd, ReduceAttr{{1}, false}, {in}), {2}, {-6, -120});
}

TEST(RefReduce, Integers) {
  const HostTensor in = numbers<int32_t>(DataType::kInt32, {2, 2}, {16777217, 2, -7, 2});
  expect_integers(evaluate(OpType::kSum, ReduceAttr{{1}, false}, {in}), DataType::kInt32, {2}, {16777219, -5});
  expect_integers(evaluate(OpType::kMean, ReduceAttr{{1}, false}, {in}), DataType::kInt32, {2}, {8388609, -2});
  expect_integers(evaluate(OpType::kReduceProd, ReduceAttr{{1}, false}, {in}), DataType::kInt32, {2}, {33554434, -14});
  const HostTensor flags = numbers<uint8_t>(DataType::kBool, {2, 2}, {0, 1, 1, 1});
  expect_integers(evaluate(OpType::kReduceAll, ReduceAttr{{1}, false}, {flags}), DataType::kBool, {2}, {0, 1});
  expect_integers(evaluate(OpType::kReduceAny, ReduceAttr{{0, 1}, false}, {flags}), DataType::kBool, {}, {1});
}

TEST(RefReduce, IndicesOfExtremesAreTheFirst) {
  const HostTensor in = floats({2, 3}, {1, 5, 5, 4, -1, -1});
  expect_integers(evaluate(OpType::kArgMax, ArgAttr{1}, {in}), DataType::kInt32, {2}, {1, 0});
  expect_integers(evaluate(OpType::kArgMin, ArgAttr{1}, {in}), DataType::kInt32, {2}, {0, 1});
  expect_integers(evaluate(OpType::kArgMax, ArgAttr{0}, {in}, Activation::kNone, {}, DataType::kInt64),
                  DataType::kInt64, {3}, {1, 0, 0});
  EXPECT_FALSE(refusal(OpType::kArgMax, ArgAttr{2}, {in}).ok());
  EXPECT_FALSE(refusal(OpType::kArgMax, ArgAttr{0}, {in}, Activation::kNone, DataType::kFloat32).ok());
}

TEST(RefNormalize, LogarithmsAndLengths) {
  const float ln4 = std::log(4.0f), ln3 = std::log(3.0f);
  expect_floats(evaluate(OpType::kLogSoftmax, {}, {floats({1, 2}, {ln3, 0})}), {1, 2}, {ln3 - ln4, -ln4}, 1e-6f);
  expect_floats(evaluate(OpType::kL2Normalization, {}, {floats({2, 2}, {3, 4, 0, 0})}), {2, 2}, {0.6f, 0.8f, 0, 0},
                1e-7f);
}

}  // namespace
}  // namespace sightglass::test

// Activations, two-input arithmetic, and dequantization, on values computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_unary(OpType op, const std::vector<float>& in, const std::vector<float>& out, float tolerance = 0.0f) {
  SCOPED_TRACE(to_string(op));
  expect_floats(evaluate(op, {}, {row(in)}), {static_cast<int32_t>(in.size())}, out, tolerance);
}

TEST(RefUnary, ClampingActivations) {
  const std::vector<float> in{-2, -1, -0.5f, 0, 0.5f, 1, 6, 7};
  expect_unary(OpType::kRelu, in, {0, 0, 0, 0, 0.5f, 1, 6, 7});
  expect_unary(OpType::kRelu6, in, {0, 0, 0, 0, 0.5f, 1, 6, 6});
  expect_unary(OpType::kReluN1To1, in, {-1, -1, -0.5f, 0, 0.5f, 1, 1, 1});
}

TEST(RefUnary, HardSwish) {
  // x * relu6(x + 3) / 6
  expect_unary(OpType::kHardSwish, {-4, -3, -1, 0, 1, 3, 4}, {0, 0, -1.0f / 3, 0, 4.0f / 6, 3, 4}, 1e-7f);
}

TEST(RefUnary, CurvedFunctions) {
  const float ln2 = std::log(2.0f), ln3 = std::log(3.0f);
  expect_unary(OpType::kLogistic, {0, ln3, -ln3, 1000, -1000}, {0.5f, 0.75f, 0.25f, 1, 0}, 1e-7f);
  expect_unary(OpType::kTanh, {0, ln2, -ln2, 1000, -1000}, {0, 0.6f, -0.6f, 1, -1}, 1e-7f);
  expect_unary(OpType::kExp, {0, ln2, 1, -1000, 1000}, {1, 2, 2.7182818f, 0, kInfinity}, 1e-6f);
}

TEST(RefUnary, NanStaysNan) {
  for (const OpType op : {OpType::kRelu, OpType::kRelu6, OpType::kReluN1To1, OpType::kLogistic, OpType::kTanh,
                          OpType::kHardSwish, OpType::kExp}) {
    expect_unary(op, {kNan}, {kNan});
  }
}

TEST(RefUnary, Infinities) {
  expect_unary(OpType::kRelu6, {-kInfinity, kInfinity}, {0, 6});
  expect_unary(OpType::kLogistic, {-kInfinity, kInfinity}, {0, 1});
  // By definition, the factor for minus infinity is 0.
  expect_unary(OpType::kHardSwish, {-kInfinity, kInfinity}, {kNan, kInfinity});
}

TEST(RefActivation, ActivationsWithoutTheirOwnOperator) {
  const float ln3 = std::log(3.0f);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kHardSigmoid, -3), 0);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kHardSigmoid, 0), 0.5f);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kHardSigmoid, 1.5f), 0.75f);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kHardSigmoid, 9), 1);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kSwish, ln3), 0.75f * ln3);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kSwish, -ln3), -0.25f * ln3);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kPrelu, -4, 0.25f), -1);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kPrelu, 4, 0.25f), 4);
  EXPECT_FLOAT_EQ(ref::apply(Activation::kNone, -4), -4);
}

TEST(RefBinary, ElementByElement) {
  const HostTensor a = row({1, -2, 3}), b = row({4, 5, -6});
  expect_floats(evaluate(OpType::kAdd, {}, {a, b}), {3}, {5, 3, -3});
  expect_floats(evaluate(OpType::kSub, {}, {a, b}), {3}, {-3, -7, 9});
  expect_floats(evaluate(OpType::kMul, {}, {a, b}), {3}, {4, -10, -18});
  expect_floats(evaluate(OpType::kMaximum, {}, {a, b}), {3}, {4, 5, 3});
  expect_floats(evaluate(OpType::kMinimum, {}, {a, b}), {3}, {1, -2, -6});
  expect_floats(evaluate(OpType::kAdd, {}, {a, b}, Activation::kRelu), {3}, {5, 3, 0});
}

TEST(RefBinary, BroadcastsEitherOperand) {
  const HostTensor column = floats({2, 1}, {1, 2}), line = row({10, 20, 30});
  expect_floats(evaluate(OpType::kSub, {}, {column, line}), {2, 3}, {-9, -19, -29, -8, -18, -28});
  expect_floats(evaluate(OpType::kSub, {}, {line, column}), {2, 3}, {9, 19, 29, 8, 18, 28});
  expect_floats(evaluate(OpType::kSub, {}, {floats(Shape{}, {1}), line}), {3}, {-9, -19, -29});
}

TEST(RefBinary, BroadcastsUpToRankFive) {
  const HostTensor a = floats({2, 1, 2, 1, 1}, {1, 2, 3, 4});
  const HostTensor b = floats({2, 1, 1, 2}, {1, 10, 100, 1000});
  expect_floats(evaluate(OpType::kMul, {}, {a, b}), {2, 2, 2, 1, 2},
                {1, 10, 2, 20, 100, 1000, 200, 2000, 3, 30, 4, 40, 300, 3000, 400, 4000});
}

TEST(RefBinary, RejectsShapesThatDoNotFit) {
  const Status status = refusal(OpType::kAdd, {}, {row({1, 2, 3}), row({1, 2})});
  EXPECT_EQ(status.code(), ErrorCode::kInvalidModel);
  EXPECT_NE(status.message().find("3 and 2"), std::string::npos) << status.message();
}

TEST(RefPrelu, SlopePerChannelAndPerElement) {
  const HostTensor in = floats({1, 1, 2, 2}, {-2, -2, 4, -4});
  expect_floats(evaluate(OpType::kPrelu, {}, {in, floats({1, 1, 2}, {0.5f, 0.25f})}), {1, 1, 2, 2}, {-1, -0.5f, 4, -1});
  expect_floats(evaluate(OpType::kPrelu, {}, {in, floats({1, 2, 2}, {1, 2, 3, 4})}), {1, 1, 2, 2}, {-2, -4, 4, -16});
}

TEST(RefDequantize, OneScale) {
  const Quantization quantization{{0.5f}, {-3}, 0};
  const HostTensor in = numbers<int8_t>(DataType::kInt8, {3}, {-3, 0, 127});
  expect_floats(evaluate(OpType::kDequantize, {}, {in}, Activation::kNone, quantization), {3}, {0, 1.5f, 65});
  const HostTensor bytes = numbers<uint8_t>(DataType::kUInt8, {3}, {0, 128, 255});
  expect_floats(evaluate(OpType::kDequantize, {}, {bytes}, Activation::kNone, {{0.5f}, {128}, 0}), {3},
                {-64, 0, 63.5f});
}

TEST(RefDequantize, AScalePerIndexOfAnAxis) {
  const HostTensor in = numbers<int8_t>(DataType::kInt8, {2, 3}, {1, 2, 3, 4, 5, 6});
  expect_floats(evaluate(OpType::kDequantize, {}, {in}, Activation::kNone, {{1, 10}, {0, 1}, 0}), {2, 3},
                {1, 2, 3, 30, 40, 50});
  expect_floats(evaluate(OpType::kDequantize, {}, {in}, Activation::kNone, {{1, 10, 100}, {0, 0, 0}, 1}), {2, 3},
                {1, 20, 300, 4, 50, 600});
}

TEST(RefDequantize, HalfPrecisionWidensExactly) {
  const HostTensor in = numbers<uint16_t>(DataType::kFloat16, {4}, {0x3c00, 0xc000, 0x0001, 0x7bff});
  expect_floats(evaluate(OpType::kDequantize, {}, {in}), {4}, {1, -2, 0x1p-24f, 65504});
}

TEST(RefDequantize, RejectsIntegersWithoutAScale) {
  const Status status = refusal(OpType::kDequantize, {}, {numbers<int8_t>(DataType::kInt8, {1}, {1})});
  EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
  EXPECT_NE(status.message().find("'input0' is int8 without a scale"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace sightglass::test

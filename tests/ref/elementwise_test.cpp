// Element-wise functions of real numbers, integers, and booleans, activations, and dequantization, on values computed
// by hand.
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

int32_t size_of_row(size_t count) { return static_cast<int32_t>(count); }

HostTensor ints(const std::vector<int32_t>& values) {
  return numbers<int32_t>(DataType::kInt32, {size_of_row(values.size())}, values);
}
HostTensor longs(const std::vector<int64_t>& values) {
  return numbers<int64_t>(DataType::kInt64, {size_of_row(values.size())}, values);
}
HostTensor bools(const std::vector<uint8_t>& values) {
  return numbers<uint8_t>(DataType::kBool, {size_of_row(values.size())}, values);
}

void expect_row(const HostTensor& got, const std::vector<float>& expected, float tolerance = 0.0f) {
  expect_floats(got, {size_of_row(expected.size())}, expected, tolerance);
}
void expect_ints(const HostTensor& got, const std::vector<int64_t>& expected, DataType type = DataType::kInt32) {
  expect_integers(got, type, {size_of_row(expected.size())}, expected);
}

TEST(RefUnary, Roots) {
  expect_row(evaluate(OpType::kSqrt, {}, {row({0, 4, 2.25f})}), {0, 2, 1.5f});
  expect_row(evaluate(OpType::kRsqrt, {}, {row({4, 0.25f, 0})}), {0.5f, 2, kInfinity});
  expect_row(evaluate(OpType::kSquare, {}, {row({-3, 0.5f})}), {9, 0.25f});
  expect_row(evaluate(OpType::kLog, {}, {row({1, std::exp(2.0f), 0})}), {0, 2, -kInfinity}, 1e-6f);
}

TEST(RefUnary, Rounding) {
  const HostTensor in = row({-2.5f, -1.5f, -0.2f, 0.5f, 1.5f, 2.7f});
  expect_row(evaluate(OpType::kFloor, {}, {in}), {-3, -2, -1, 0, 1, 2});
  expect_row(evaluate(OpType::kCeil, {}, {in}), {-2, -1, 0, 1, 2, 3});
  expect_row(evaluate(OpType::kRound, {}, {in}), {-2, -2, 0, 0, 2, 3});  // halves to even
}

TEST(RefUnary, Signs) {
  expect_row(evaluate(OpType::kNeg, {}, {row({-2, 3})}), {2, -3});
  expect_row(evaluate(OpType::kAbs, {}, {row({-2, 3})}), {2, 3});
  expect_row(evaluate(OpType::kSign, {}, {row({-2, 0, 3})}), {-1, 0, 1});
  expect_ints(evaluate(OpType::kNeg, {}, {ints({-2, 3})}), {2, -3});
  expect_ints(evaluate(OpType::kAbs, {}, {ints({-2, 3})}), {2, 3});
  expect_ints(evaluate(OpType::kSign, {}, {ints({-2, 0, 3})}), {-1, 0, 1});
  expect_ints(evaluate(OpType::kZerosLike, {}, {longs({-2, 3})}), {0, 0}, DataType::kInt64);
}

TEST(RefUnary, BentActivations) {
  expect_row(evaluate(OpType::kElu, {}, {row({-1, 0, 2})}), {std::exp(-1.0f) - 1, 0, 2}, 1e-7f);
  expect_row(evaluate(OpType::kLeakyRelu, LeakyReluAttr{0.25f}, {row({-4, 4})}), {-1, 4});
  expect_row(evaluate(OpType::kRelu0To1, {}, {row({-1, 0.5f, 2})}), {0, 0.5f, 1});
  // 1 * (the normal distribution up to 1), and its tanh approximation.
  expect_row(evaluate(OpType::kGelu, GeluAttr{false}, {row({1, 0})}), {0.8413447f, 0}, 1e-6f);
  expect_row(evaluate(OpType::kGelu, GeluAttr{true}, {row({1, 0})}), {0.8411920f, 0}, 1e-6f);
}

TEST(RefUnary, Angles) {
  const float quarter = std::acos(0.0f);
  expect_row(evaluate(OpType::kSin, {}, {row({0, quarter, -quarter})}), {0, 1, -1}, 1e-6f);
  expect_row(evaluate(OpType::kCos, {}, {row({0, quarter, 2 * quarter})}), {1, 0, -1}, 1e-6f);
  expect_row(evaluate(OpType::kAtan2, {}, {row({1, 0, -1}), row({0, -1, 0})}), {quarter, 2 * quarter, -quarter}, 1e-6f);
}

TEST(RefUnary, Not) { expect_ints(evaluate(OpType::kLogicalNot, {}, {bools({0, 1})}), {1, 0}, DataType::kBool); }

TEST(RefBinary, Quotients) {
  const HostTensor a = row({7, -7, 7, -7}), b = row({2, 2, -2, -2});
  expect_row(evaluate(OpType::kDiv, {}, {a, b}), {3.5f, -3.5f, -3.5f, 3.5f});
  expect_row(evaluate(OpType::kFloorDiv, {}, {a, b}), {3, -4, -4, 3});
  expect_row(evaluate(OpType::kFloorMod, {}, {a, b}), {1, 1, -1, -1});
  const HostTensor x = ints({7, -7, 7, -7, 5}), y = ints({2, 2, -2, -2, 0});
  expect_ints(evaluate(OpType::kDiv, {}, {x, y}), {3, -3, -3, 3, 0});
  expect_ints(evaluate(OpType::kFloorDiv, {}, {x, y}), {3, -4, -4, 3, 0});
  expect_ints(evaluate(OpType::kFloorMod, {}, {x, y}), {1, 1, -1, -1, 0});
}

TEST(RefBinary, PowersAndDifferences) {
  expect_row(evaluate(OpType::kPow, {}, {row({2, -2, 9}), row({3, 3, 0.5f})}), {8, -8, 3});
  expect_ints(evaluate(OpType::kPow, {}, {ints({2, -2, 3, 1, -1, 5}), ints({10, 3, 0, -2, -3, -1})}),
              {1024, -8, 1, 1, -1, 0});
  expect_row(evaluate(OpType::kSquaredDifference, {}, {row({1, 5}), row({4, 3})}), {9, 4});
  expect_ints(evaluate(OpType::kSquaredDifference, {}, {ints({1, 5}), ints({4, 3})}), {9, 4});
}

TEST(RefBinary, IntegersAreExactAndClamped) {
  expect_ints(evaluate(OpType::kAdd, {}, {ints({16777217, -5}), ints({2, 1})}), {16777219, -4});
  expect_ints(evaluate(OpType::kMul, {}, {longs({int64_t{1} << 40}), longs({3})}), {int64_t{3} << 40},
              DataType::kInt64);
  expect_ints(evaluate(OpType::kSub, {}, {ints({9, 1}), ints({1, 5})}, Activation::kRelu6), {6, 0});
}

TEST(RefBinary, ComparisonsAndLogic) {
  const HostTensor a = row({1, 2, 3}), b = row({2, 2, 2});
  const auto expect = [&](OpType op, const std::vector<int64_t>& expected) {
    expect_ints(evaluate(op, {}, {a, b}), expected, DataType::kBool);
    expect_ints(evaluate(op, {}, {ints({1, 2, 3}), ints({2, 2, 2})}), expected, DataType::kBool);
  };
  expect(OpType::kEqual, {0, 1, 0});
  expect(OpType::kNotEqual, {1, 0, 1});
  expect(OpType::kLess, {1, 0, 0});
  expect(OpType::kLessEqual, {1, 1, 0});
  expect(OpType::kGreater, {0, 0, 1});
  expect(OpType::kGreaterEqual, {0, 1, 1});
  const HostTensor p = bools({0, 0, 1, 1}), q = bools({0, 1, 0, 1});
  expect_ints(evaluate(OpType::kLogicalAnd, {}, {p, q}), {0, 0, 0, 1}, DataType::kBool);
  expect_ints(evaluate(OpType::kLogicalOr, {}, {p, q}), {0, 1, 1, 1}, DataType::kBool);
}

TEST(RefCast, BetweenTypes) {
  const auto cast = [](const HostTensor& in, DataType to) {
    return evaluate(OpType::kCast, {}, {in}, Activation::kNone, {}, to);
  };
  expect_ints(cast(row({-1.7f, 0.5f, 2.9f}), DataType::kInt32), {-1, 0, 2});
  expect_ints(cast(row({-1.7f, 0, 2.9f}), DataType::kBool), {1, 0, 1}, DataType::kBool);
  expect_ints(cast(ints({-1, 256, 300}), DataType::kUInt8), {255, 0, 44}, DataType::kUInt8);
  expect_ints(cast(ints({-1, 128}), DataType::kInt8), {-1, -128}, DataType::kInt8);
  expect_row(cast(longs({-3, 7}), DataType::kFloat32), {-3, 7});
  expect_row(cast(bools({0, 1}), DataType::kFloat32), {0, 1});
}

TEST(RefSelect, BroadcastAndByRow) {
  const HostTensor yes = floats({2, 2}, {1, 2, 3, 4}), no = floats({2, 2}, {-1, -2, -3, -4});
  expect_floats(evaluate(OpType::kSelect, SelectAttr{}, {bools({1, 0}), yes, no}), {2, 2}, {1, -2, 3, -4});
  expect_floats(evaluate(OpType::kSelect, SelectAttr{true}, {bools({1, 0}), yes, no}), {2, 2}, {1, 2, -3, -4});
  const Status status = refusal(OpType::kSelect, SelectAttr{true}, {bools({1, 0, 1}), yes, no});
  EXPECT_NE(status.message().find("row"), std::string::npos) << status.message();
}

TEST(RefBroadcastTo, Repeats) {
  expect_floats(evaluate(OpType::kBroadcastTo, BroadcastToAttr{{2, 2}}, {floats({2, 1}, {1, 2})}), {2, 2},
                {1, 1, 2, 2});
  EXPECT_FALSE(refusal(OpType::kBroadcastTo, BroadcastToAttr{{3}}, {row({1, 2})}).ok());
  EXPECT_FALSE(refusal(OpType::kBroadcastTo, BroadcastToAttr{{}}, {floats({1, 1}, {1})}).ok());
}

TEST(RefAddN, Sums) {
  expect_row(evaluate(OpType::kAddN, {}, {row({1, 2}), row({10, 20}), row({100, 200})}), {111, 222});
  expect_ints(evaluate(OpType::kAddN, {}, {ints({1, 2})}), {1, 2});
}

TEST(RefTypes, AreCheckedPerOperator) {
  EXPECT_FALSE(refusal(OpType::kSqrt, {}, {ints({1})}).ok());
  EXPECT_FALSE(refusal(OpType::kLogicalAnd, {}, {row({1}), row({1})}).ok());
  EXPECT_FALSE(refusal(OpType::kAdd, {}, {row({1}), ints({1})}).ok());
  EXPECT_FALSE(refusal(OpType::kAdd, {}, {ints({1}), ints({1})}, Activation::kTanh).ok());
  EXPECT_FALSE(refusal(OpType::kSelect, SelectAttr{}, {ints({1}), row({1}), row({1})}).ok());
}

}  // namespace
}  // namespace sightglass::test

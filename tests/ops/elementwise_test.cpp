// Element-wise functions of real numbers, integers, and booleans, and SOFTMAX.
#include <cmath>
#include <limits>

#include "ops/op_run.h"
#include "ops/op_test.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

constexpr std::initializer_list<OpType> kBinary = {OpType::kAdd,     OpType::kSub,     OpType::kMul,
                                                   OpType::kMaximum, OpType::kMinimum, OpType::kPrelu};
using ElementwiseTest = OpTest;

TEST_F(ElementwiseTest, OneOperand) {
  uint64_t seed = 1;
  for (const OpType op : {OpType::kRelu, OpType::kRelu6, OpType::kReluN1To1, OpType::kLogistic, OpType::kTanh,
                          OpType::kHardSwish, OpType::kExp}) {
    for (const Fill data : {Fill::kUniform, Fill::kWide, Fill::kZero, Fill::kTiny}) {
      for (const int channels : kChannels) {
        CaseBuilder builder(seed++);
        builder.node(op, {}, {builder.input({2, 5, 7, channels}, data)});
        check(builder.build(std::string(to_string(op)) + " C" + std::to_string(channels)));
      }
    }
  }
}

TEST_F(ElementwiseTest, Saturation) {
  uint64_t seed = 50;
  for (const OpType op : {OpType::kLogistic, OpType::kTanh, OpType::kHardSwish, OpType::kRelu6}) {
    CaseBuilder builder(seed++);
    builder.node(op, {}, {builder.input({1, 9, 9, 5}, Fill::kLarge)});
    check(builder.build(std::string(to_string(op)) + " of ±1e4"));
  }
}

// NaNs pass through functions that limit their results.
TEST_F(ElementwiseTest, NotANumber) {
  const auto expect_nans = [&](OpCase op) {
    for (size_t i = 0; i < 12; i += 3) op.inputs[0].as<float>()[i] = std::numeric_limits<float>::quiet_NaN();
    const Result<OpRun> run = run_on_gpu(gl(), device().limits, op, kSettings[0], {});
    ASSERT_TRUE(run.ok()) << op.name << ": " << run.status().message();
    for (size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(std::isnan(run->outputs[0].as<float>()[i]), i % 3 == 0) << op.name << " " << i;
    }
  };
  for (const OpType op : {OpType::kRelu, OpType::kRelu6, OpType::kReluN1To1, OpType::kRelu0To1, OpType::kTanh}) {
    CaseBuilder builder(70);
    builder.node(op, {}, {builder.input({12}, Fill::kWide)});
    expect_nans(builder.build(to_string(op)));
  }
  for (const Activation activation : {Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1}) {
    CaseBuilder builder(71);
    const ValueId pixels = builder.input({1, 1, 12, 1}, Fill::kWide);
    builder.node(OpType::kConv2d, Conv2dAttr{}, {pixels, builder.constant({1, 1, 1, 1})}, activation);
    expect_nans(builder.build("CONV_2D with an activation"));
  }
}

TEST_F(ElementwiseTest, EveryRank) {
  uint64_t seed = 80;
  const Shape shapes[] = {{}, {1}, {7}, {3, 5}, {2, 3, 5}, {2, 3, 4, 5}, {2, 3, 2, 3, 5}};
  for (const Shape& shape : shapes) {
    CaseBuilder builder(seed++);
    const ValueId a = builder.input(shape), b = builder.input(shape);
    builder.node(OpType::kMul, {}, {a, b});
    check(builder.build("MUL of " + shape.to_string()));
  }
}

TEST_F(ElementwiseTest, Broadcasting) {
  const std::pair<Shape, Shape> pairs[] = {{{2, 5, 7, 13}, {2, 5, 7, 13}},
                                           {{2, 5, 7, 13}, {13}},
                                           {{2, 5, 7, 13}, {1}},
                                           {{2, 5, 7, 13}, {1, 1, 1, 13}},
                                           {{2, 5, 7, 13}, {2, 1, 1, 13}},
                                           {{2, 5, 7, 13}, {1, 5, 1, 1}},
                                           {{2, 5, 7, 13}, {7, 1}},
                                           {{2, 5, 7, 13}, {5, 1, 13}},
                                           {{2, 5, 1, 13}, {1, 1, 7, 1}},
                                           {{1, 16, 9, 4}, {}},
                                           {{4}, {3, 4}},
                                           {{2, 5, 7, 13}, {2, 5, 7, 1}},
                                           {{1, 65, 66, 5}, {1, 1, 1, 5}},
                                           {{1, 5, 7, 13}, {1, 5, 7, 1}},
                                           {{1, 5, 1, 13}, {1, 1, 7, 13}},
                                           {{1, 5, 7, 1}, {13}}};
  uint64_t seed = 100;
  for (const auto& [a, b] : pairs) {
    for (const OpType op : kBinary) {
      for (const bool swapped : {false, true}) {
        for (const bool constant : {false, true}) {
          if (op == OpType::kPrelu && (swapped || b.rank() > a.rank() || a.dim(0) == 4 || a == Shape{2, 5, 1, 13})) {
            continue;  // the slope broadcasts to the data, never the other way round
          }
          CaseBuilder builder(seed++);
          const ValueId x = builder.input(swapped ? b : a);
          const ValueId y = constant ? builder.constant(swapped ? a : b) : builder.input(swapped ? a : b);
          builder.node(op, {}, {x, y}, op == OpType::kAdd ? Activation::kRelu6 : Activation::kNone);
          check(builder.build(std::string(to_string(op)) + " " + (swapped ? b : a).to_string() + ", " +
                              (swapped ? a : b).to_string() + (constant ? " constant" : "")));
        }
      }
    }
  }
}

TEST_F(ElementwiseTest, FusedActivations) {
  uint64_t seed = 700;
  for (const Activation activation : {Activation::kRelu, Activation::kReluN1To1, Activation::kTanh,
                                      Activation::kLogistic, Activation::kHardSwish, Activation::kSwish}) {
    CaseBuilder builder(seed++);
    const ValueId a = builder.input({1, 6, 5, 7}, Fill::kWide), b = builder.input({1, 6, 5, 7}, Fill::kWide);
    builder.node(OpType::kSub, {}, {a, b}, activation);
    check(builder.build(std::string("SUB ") + to_string(activation)));
  }
}

TEST_F(ElementwiseTest, SameValueTwice) {
  CaseBuilder builder(800);
  const ValueId a = builder.input({1, 6, 5, 7});
  builder.node(OpType::kMul, {}, {a, a});
  check(builder.build("MUL of a tensor with itself"));
}

TEST_F(ElementwiseTest, Softmax) {
  uint64_t seed = 900;
  const Shape shapes[] = {{1, 1}, {1, 3}, {2, 4}, {1, 1001}, {1, 7, 9, 5}, {2, 65, 3, 21}, {3, 5, 13}, {6}};
  for (const Shape& shape : shapes) {
    for (const float beta : {1.0f, 0.5f, 3.0f}) {
      for (const Fill data : {Fill::kWide, Fill::kLarge, Fill::kZero}) {
        CaseBuilder builder(seed++);
        builder.node(OpType::kSoftmax, SoftmaxAttr{beta}, {builder.input(shape, data)});
        check(builder.build("SOFTMAX " + shape.to_string()));
      }
    }
  }
}

using ArithmeticTest = OpTest;

Attributes attributes_of(OpType op) {
  if (op == OpType::kLeakyRelu) return LeakyReluAttr{0.3f};
  if (op == OpType::kGelu) return GeluAttr{};
  return {};
}

TEST_F(ArithmeticTest, OneRealOperand) {
  uint64_t seed = 1;
  for (const OpType op : {OpType::kSquare, OpType::kNeg, OpType::kAbs, OpType::kFloor, OpType::kCeil, OpType::kRound,
                          OpType::kSign, OpType::kSin, OpType::kCos, OpType::kElu, OpType::kLeakyRelu, OpType::kGelu,
                          OpType::kRelu0To1, OpType::kZerosLike}) {
    for (const Fill data : {Fill::kUniform, Fill::kWide, Fill::kZero, Fill::kRamp}) {
      for (const int channels : {1, 4, 13}) {
        CaseBuilder builder(seed++);
        builder.node(op, attributes_of(op), {builder.input({2, 5, 7, channels}, data)});
        check(builder.build(std::string(to_string(op)) + " C" + std::to_string(channels)));
      }
    }
  }
}

TEST_F(ArithmeticTest, OnePositiveOperand) {
  uint64_t seed = 200;
  for (const OpType op : {OpType::kRsqrt, OpType::kSqrt, OpType::kLog}) {
    for (const int channels : kChannels) {
      CaseBuilder builder(seed++);
      builder.node(op, {}, {builder.input({2, 5, 7, channels}, Fill::kDivisor)});
      check(builder.build(std::string(to_string(op)) + " C" + std::to_string(channels)));
    }
  }
}

TEST_F(ArithmeticTest, GeluByTanh) {
  CaseBuilder builder(230);
  builder.node(OpType::kGelu, GeluAttr{true}, {builder.input({2, 5, 7, 13}, Fill::kWide)});
  check(builder.build("GELU by tanh"));
}

TEST_F(ArithmeticTest, TwoRealOperands) {
  uint64_t seed = 250;
  for (const OpType op :
       {OpType::kDiv, OpType::kSquaredDifference, OpType::kFloorDiv, OpType::kFloorMod, OpType::kAtan2, OpType::kPow}) {
    for (const auto& [a, b] : {std::pair<Shape, Shape>{{2, 5, 7, 13}, {2, 5, 7, 13}},
                               {{3, 4, 5}, {5}},
                               {{4}, {2, 3, 4}},
                               {{2, 1, 3, 1, 5}, {1, 3, 1, 4, 5}}}) {
      CaseBuilder builder(seed++);
      const ValueId x = builder.input(a, op == OpType::kPow ? Fill::kPositive : Fill::kWide);
      const ValueId y = builder.input(b, op == OpType::kAtan2 ? Fill::kWide : Fill::kDivisor);
      builder.node(op, {}, {x, y});
      check(builder.build(std::string(to_string(op)) + " " + a.to_string() + ", " + b.to_string()));
    }
  }
}

// GLSL leaves the angle of (0, 0) undefined.
TEST_F(ArithmeticTest, AnglesOnTheAxes) {
  for (const auto& [y, x] :
       {std::pair{Fill::kZero, Fill::kZero}, {Fill::kZero, Fill::kWide}, {Fill::kWide, Fill::kZero}}) {
    CaseBuilder builder(295);
    const ValueId rows = builder.input({2, 3, 13}, y);
    builder.node(OpType::kAtan2, {}, {rows, builder.input({2, 3, 13}, x)});
    check(builder.build("ATAN2 on the axes"));
  }
}

TEST_F(ArithmeticTest, PowersOfNegativeNumbers) {
  CaseBuilder builder(290);
  const ValueId whole = builder.node(OpType::kFloor, {}, {builder.input({2, 5, 7, 5}, Fill::kWide)});
  builder.node(OpType::kPow, {}, {whole, builder.constant({5}, Fill::kRamp)});
  check(builder.build("POW of negative numbers"));
}

TEST_F(ArithmeticTest, Comparisons) {
  uint64_t seed = 300;
  for (const OpType op : {OpType::kEqual, OpType::kNotEqual, OpType::kLess, OpType::kLessEqual, OpType::kGreater,
                          OpType::kGreaterEqual}) {
    for (const DataType type : {DataType::kFloat32, DataType::kInt32, DataType::kInt64}) {
      for (const auto& [a, b] : {std::pair<Shape, Shape>{{2, 5, 7, 13}, {2, 5, 7, 13}},
                                 {{2, 5, 7, 3}, {}},
                                 {{2, 1, 3, 1, 5}, {1, 3, 1, 4, 5}}}) {
        CaseBuilder builder(seed++);
        builder.node(op, {}, {builder.input(a, Fill::kWide, type), builder.constant(b, Fill::kWide, type)});
        check(builder.build(std::string(to_string(op)) + " of " + to_string(type) + " " + a.to_string()), true, kExact);
      }
    }
  }
}

TEST_F(ArithmeticTest, Integers) {
  uint64_t seed = 400;
  for (const OpType op : {OpType::kAdd, OpType::kSub, OpType::kMul, OpType::kMaximum, OpType::kMinimum, OpType::kDiv,
                          OpType::kPow, OpType::kSquaredDifference, OpType::kFloorDiv, OpType::kFloorMod}) {
    for (const auto& [a, b] : {std::pair<Shape, Shape>{{2, 5, 7, 13}, {2, 5, 7, 13}},
                               {{2, 5, 7, 3}, {7, 1}},
                               {{}, {1, 4}},
                               {{2, 1, 3, 1, 5}, {1, 3, 1, 4, 5}}}) {
      CaseBuilder builder(seed++);
      const ValueId x = builder.input(a, Fill::kRamp, DataType::kInt32);
      const ValueId shifted = builder.node(OpType::kSub, {}, {x, builder.constant({1}, Fill::kRamp, DataType::kInt32)});
      builder.node(op, {}, {builder.node(OpType::kNeg, {}, {shifted}), builder.input(b, Fill::kWide, DataType::kInt32)},
                   op == OpType::kSub ? Activation::kRelu6 : Activation::kNone);
      check(builder.build(std::string(to_string(op)) + " of int32 " + a.to_string() + ", " + b.to_string()), true,
            kExact);
    }
  }
}

TEST_F(ArithmeticTest, OneIntegerOrBoolean) {
  uint64_t seed = 480;
  for (const auto& [op, type] : {std::pair{OpType::kNeg, DataType::kInt64},
                                 {OpType::kAbs, DataType::kInt32},
                                 {OpType::kSign, DataType::kInt32},
                                 {OpType::kZerosLike, DataType::kInt64},
                                 {OpType::kLogicalNot, DataType::kBool}}) {
    for (const int channels : kChannels) {
      CaseBuilder builder(seed++);
      builder.node(op, {}, {builder.input({2, 5, 7, channels}, Fill::kWide, type)});
      check(builder.build(std::string(to_string(op)) + " of " + to_string(type)), true, kExact);
    }
  }
}

TEST_F(ArithmeticTest, Logic) {
  uint64_t seed = 520;
  for (const OpType op : {OpType::kLogicalAnd, OpType::kLogicalOr, OpType::kEqual, OpType::kNotEqual}) {
    CaseBuilder builder(seed++);
    builder.node(op, {},
                 {builder.input({2, 5, 7, 13}, Fill::kWide, DataType::kBool),
                  builder.input({5, 1, 13}, Fill::kWide, DataType::kBool)});
    check(builder.build(to_string(op)), true, kExact);
  }
}

TEST_F(ArithmeticTest, Casts) {
  uint64_t seed = 550;
  const DataType types[] = {DataType::kFloat32, DataType::kInt32, DataType::kInt64, DataType::kBool,
                            DataType::kUInt8,   DataType::kInt8,  DataType::kInt16};
  for (const DataType from : types) {
    for (const DataType to : types) {
      for (const Fill data : {Fill::kWide, Fill::kRamp}) {
        CaseBuilder builder(seed++);
        builder.node(OpType::kCast, {}, {builder.input({2, 3, 5, 7}, data, from)}, Activation::kNone, to);
        check(builder.build(std::string("CAST of ") + to_string(from) + " to " + to_string(to)), true, kExact);
      }
    }
  }
}

TEST_F(ArithmeticTest, Select) {
  uint64_t seed = 700;
  for (const DataType type : {DataType::kFloat32, DataType::kInt32, DataType::kBool}) {
    for (const auto& [condition, data] : {std::pair<Shape, Shape>{{2, 5, 7, 13}, {2, 5, 7, 13}},
                                          {{}, {2, 3, 5}},
                                          {{5, 1, 3}, {2, 1, 4, 3}},
                                          {{2, 1, 3, 1, 5}, {1, 3, 1, 4, 1}},
                                          {{1}, {1}}}) {
      for (const bool constant : {false, true}) {
        CaseBuilder builder(seed++);
        const ValueId c = builder.input(condition, Fill::kUniform, DataType::kBool);
        const ValueId yes = builder.input(data, Fill::kWide, type);
        const ValueId no = constant ? builder.constant({}, Fill::kWide, type) : builder.input(data, Fill::kWide, type);
        builder.node(OpType::kSelect, SelectAttr{}, {c, yes, no});
        check(builder.build("SELECT by " + condition.to_string() + " of " + to_string(type) + " " + data.to_string()),
              true, kExact);
      }
    }
  }
}

TEST_F(ArithmeticTest, SelectByRow) {
  uint64_t seed = 800;
  for (const Shape& data : {Shape{1, 3}, {3, 4}, {5, 2, 3}, {6, 2, 3, 5}, {3, 2, 2, 3, 5}, {4}}) {
    CaseBuilder builder(seed++);
    const ValueId condition = builder.input({data.dim(0)}, Fill::kUniform, DataType::kBool);
    builder.node(OpType::kSelect, SelectAttr{true}, {condition, builder.input(data), builder.input(data)});
    check(builder.build("SELECT by row of " + data.to_string()), true, kExact);
  }
}

TEST_F(ArithmeticTest, BroadcastTo) {
  uint64_t seed = 850;
  for (const DataType type : {DataType::kFloat32, DataType::kInt64}) {
    for (const auto& [from, to] : {std::pair<Shape, Shape>{{}, {2, 3, 5}},
                                   {{1}, {7}},
                                   {{3, 1}, {2, 3, 13}},
                                   {{5, 1, 1}, {2, 5, 3, 4}},
                                   {{2, 1, 3, 1, 5}, {2, 4, 3, 6, 5}}}) {
      CaseBuilder builder(seed++);
      builder.node(OpType::kBroadcastTo, BroadcastToAttr{to}, {builder.input(from, Fill::kWide, type)});
      check(builder.build("BROADCAST_TO of " + from.to_string() + " to " + to.to_string()), true, kExact);
    }
  }
}

TEST_F(ArithmeticTest, AddN) {
  for (const DataType type : {DataType::kFloat32, DataType::kInt32}) {
    for (const int count : {1, 2, 5}) {
      CaseBuilder builder(900 + static_cast<uint64_t>(count));
      std::vector<ValueId> inputs;
      for (int i = 0; i < count; ++i) inputs.push_back(builder.input({2, 3, 5, 7}, Fill::kWide, type));
      builder.node(OpType::kAddN, {}, inputs);
      check(builder.build("ADD_N of " + std::to_string(count)));
    }
  }
}

}  // namespace
}  // namespace sightglass::test

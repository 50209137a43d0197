// One- and two-operand functions, and SOFTMAX.
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

}  // namespace
}  // namespace sightglass::test

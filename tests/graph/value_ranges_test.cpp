// Ranges that operators prove: each contains the results of the reference, and is no wider than it needs to be.
// tests/ops/op_test.cpp compares the ranges of every operator case with the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/analyses.h"
#include "graph_case.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr ValueRange kAll;

ValueRange range_of(const Graph& graph, ValueId id, const ValueRange& input = kAll) {
  return value_ranges(graph, std::span(&input, 1))[static_cast<size_t>(id)];
}

void expect_range(const ValueRange& range, double low, double high) {
  constexpr double kTolerance = 1e-5;
  const auto same = [](double a, double b) { return a == b || std::abs(a - b) < kTolerance; };
  EXPECT_TRUE(same(range.low, low) && same(range.high, high))
      << "[" << range.low << ", " << range.high << "] instead of [" << low << ", " << high << "]";
}

ValueId scalar(Graph& graph, float value) { return graph.add_constant("scalar", {}, std::vector<float>{value}); }

// The results for many numbers of a range are in the computed range, and reach its ends within `slack`.
void expect_tight(OpType op, const Attributes& attributes, const ValueRange& input, double slack) {
  constexpr int32_t kCount = 2001;
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, kCount});
  const ValueId out = add_op(graph, op, attributes, {in}, "out");
  graph.outputs = {out};
  std::vector<float> numbers(kCount);
  for (int32_t i = 0; i < kCount; ++i) {
    numbers[static_cast<size_t>(i)] = static_cast<float>(input.low + (input.high - input.low) * i / (kCount - 1));
  }
  const auto results = value_of(ref::run(graph, {HostTensor::from_floats({1, kCount}, numbers)}));
  const ValueRange range = range_of(graph, out, input);
  double low = kInf, high = -kInf;
  for (const float result : results.front().as<float>()) {
    low = std::min<double>(low, result);
    high = std::max<double>(high, result);
  }
  const double rounding = 1e-5 * std::max({1.0, std::abs(low), std::abs(high)});
  EXPECT_LE(range.low, low + rounding) << to_string(op) << " of [" << input.low << ", " << input.high << "]";
  EXPECT_GE(range.high, high - rounding) << to_string(op) << " of [" << input.low << ", " << input.high << "]";
  EXPECT_NEAR(range.low, low, slack + rounding) << to_string(op) << " of [" << input.low << ", " << input.high << "]";
  EXPECT_NEAR(range.high, high, slack + rounding) << to_string(op) << " of [" << input.low << ", " << input.high << "]";
}

TEST(ValueRanges, FunctionsOfOneOperand) {
  using enum OpType;
  struct Function {
    OpType op;
    Attributes attributes = {};
    double slack = 1e-3;  // sampling misses the lowest point of a valley
  };
  const Function kFunctions[] = {
      {kRelu},
      {kRelu6},
      {kReluN1To1},
      {kRelu0To1},
      {kLogistic},
      {kTanh},
      {kHardSwish},
      {kExp},
      {kSquare},
      {kNeg},
      {kAbs},
      {kFloor},
      {kCeil},
      {kRound},
      {kSign},
      {kElu},
      {kZerosLike},
      {kLeakyRelu, LeakyReluAttr{0.2F}},
      {kGelu, GeluAttr{false}, 2e-3},
      {kGelu, GeluAttr{true}, 2e-3},
  };
  for (const Function& function : kFunctions) {
    for (const ValueRange& input : {ValueRange{-4, 4}, {-1, 0.5}, {0.25, 3}, {-3, -2}}) {
      expect_tight(function.op, function.attributes, input, function.slack);
    }
  }
  for (const OpType op : {kSqrt, kRsqrt, kLog}) expect_tight(op, {}, {0.5, 4}, 1e-3);
  expect_tight(kSin, {}, {-4, 4}, 1e-3);
  expect_tight(kCos, {}, {-4, 4}, 1e-3);
}

TEST(ValueRanges, UnlimitedInputs) {
  const auto of = [](OpType op) {
    Graph graph;
    const ValueId out = add_op(graph, op, {}, {add_input(graph, "in", {1, 4})}, "out");
    return range_of(graph, out);
  };
  expect_range(of(OpType::kLogistic), 0, 1);
  expect_range(of(OpType::kTanh), -1, 1);
  expect_range(of(OpType::kRelu6), 0, 6);
  expect_range(of(OpType::kRelu), 0, kInf);
  expect_range(of(OpType::kHardSwish), -0.375, kInf);
  expect_range(of(OpType::kExp), 0, kInf);
  expect_range(of(OpType::kNeg), -kInf, kInf);
}

// The ways in which published models end: all hold probabilities.
TEST(ValueRanges, Chains) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, 4, 4, 1});
  const ValueId sigmoid = add_op(graph, OpType::kLogistic, {}, {in}, "sigmoid");
  expect_range(range_of(graph, add_op(graph, OpType::kSub, {}, {scalar(graph, 1), sigmoid}, "flipped")), 0, 1);
  expect_range(range_of(graph, add_op(graph, OpType::kMul, {}, {sigmoid, scalar(graph, 255)}, "samples")), 0, 255);
  const ValueId relu6 = add_op(graph, OpType::kRelu6, {}, {in}, "relu6");
  expect_range(range_of(graph, add_op(graph, OpType::kMul, {}, {relu6, scalar(graph, 1.0F / 6)}, "hard")), 0, 1);
  expect_range(range_of(graph, add_op(graph, OpType::kDiv, {}, {relu6, scalar(graph, 6)}, "hard too")), 0, 1);
  const ValueId least = add_op(graph, OpType::kMaximum, {}, {in, scalar(graph, 0)}, "least");
  expect_range(range_of(graph, add_op(graph, OpType::kMinimum, {}, {least, scalar(graph, 1)}, "clip")), 0, 1);
  const ValueId exp = add_op(graph, OpType::kExp, {}, {add_op(graph, OpType::kNeg, {}, {in}, "neg")}, "exp");
  const ValueId sum = add_op(graph, OpType::kAdd, {}, {exp, scalar(graph, 1)}, "sum");
  expect_range(range_of(graph, add_op(graph, OpType::kDiv, {}, {scalar(graph, 1), sum}, "divided")), 0, 1);
  const ValueId half =
      add_op(graph, OpType::kMul, {}, {add_op(graph, OpType::kTanh, {}, {in}, "tanh"), scalar(graph, 0.5F)}, "half");
  expect_range(range_of(graph, add_op(graph, OpType::kAdd, {}, {half, scalar(graph, 0.5F)}, "shifted")), 0, 1);
  expect_range(range_of(graph, add_op(graph, OpType::kAdd, {}, {sigmoid, in}, "unknown")), -kInf, kInf);
  PadAttr pad;
  pad.before = {0, 1, 1, 0};
  pad.value = -2;
  expect_range(range_of(graph, add_op(graph, OpType::kPad, pad, {sigmoid}, "padded")), -2, 1);
  const ValueId both = add_op(graph, OpType::kConcat, ConcatAttr{3}, {sigmoid, relu6}, "both");
  expect_range(range_of(graph, both), 0, 6);
}

TEST(ValueRanges, QuantizedValuesAreLimitedByTheirScale) {
  Graph graph;
  Value in;
  in.name = "in";
  in.type = DataType::kUInt8;
  in.shape = {1, 4};
  in.quantization = {{1.0F / 256}, {0}, 0};
  graph.inputs = {graph.add_value(in)};
  expect_range(range_of(graph, graph.inputs[0]), 0, 255.0 / 256);
  const ValueId real = add_op(graph, OpType::kDequantize, {}, {graph.inputs[0]}, "real");
  expect_range(range_of(graph, real), 0, 255.0 / 256);
}

// The stored numbers are negated, so the scale of the output alone says what they mean.
TEST(ValueRanges, NegatedQuantizedValuesHaveTheRangeOfTheirType) {
  Graph graph;
  Value in;
  in.name = "in";
  in.type = DataType::kInt8;
  in.shape = {1, 4};
  in.quantization = {{1.0F / 256}, {0}, 0};
  graph.inputs = {graph.add_value(in)};
  const ValueId out = add_op(graph, OpType::kNeg, {}, {graph.inputs[0]}, "out");
  graph.value(out).type = DataType::kInt8;
  graph.value(out).quantization = {{1.0F / 16}, {0}, 0};
  expect_range(range_of(graph, out), -8, 127.0 / 16);
}

TEST(ValueRanges, IntegersThatMayOverflowHaveTheRangeOfTheirType) {
  Graph graph;
  Value in;
  in.name = "in";
  in.type = DataType::kInt32;
  in.shape = {1, 4};
  graph.inputs = {graph.add_value(in)};
  const ValueId sum = add_op(graph, OpType::kAdd, {}, {graph.inputs[0], graph.inputs[0]}, "sum");
  graph.value(sum).type = DataType::kInt32;
  expect_range(range_of(graph, sum, {0, 10}), 0, 20);
  expect_range(range_of(graph, sum), INT32_MIN, INT32_MAX);
}

TEST(ValueRanges, Indices) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, 4, 4, 3});
  const ValueId best = add_op(graph, OpType::kArgMax, ArgAttr{3}, {in}, "best");
  graph.value(best).type = DataType::kInt32;
  expect_range(range_of(graph, best), 0, 2);
  EXPECT_TRUE(holds_indices(graph, best));
  const ValueId real = add_op(graph, OpType::kCast, {}, {best}, "real");
  EXPECT_TRUE(holds_indices(graph, add_op(graph, OpType::kReshape, ReshapeAttr{{1, 4, 4, 1}}, {real}, "map")));
  EXPECT_FALSE(holds_indices(graph, add_op(graph, OpType::kMul, {}, {real, scalar(graph, 2)}, "twice")));
  EXPECT_FALSE(holds_indices(graph, in));
}

}  // namespace
}  // namespace sightglass::test

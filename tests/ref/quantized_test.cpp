// Operators on quantized values, on values computed by hand.
#include <gtest/gtest.h>

#include <cstring>

#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

struct Integers {
  DataType type = DataType::kInt8;
  Shape shape;
  std::vector<int> numbers;
  float scale = 1;
  int64_t zero_point = 0;
};

// One node on quantized tensors. Returns its result as plain numbers.
std::vector<int> evaluate_integers(OpType op, const Attributes& attributes, const std::vector<Integers>& inputs,
                                   const Integers& output, Activation activation = Activation::kNone) {
  Graph graph;
  Node node;
  node.op = op;
  node.attributes = attributes;
  node.activation = activation;
  std::vector<HostTensor> tensors;
  const auto add = [&](const Integers& in) {
    Value value;
    value.type = in.type;
    value.shape = in.shape;
    value.quantization = {{in.scale}, {in.zero_point}, 0};
    return graph.add_value(std::move(value));
  };
  for (const Integers& in : inputs) {
    node.inputs.push_back(add(in));
    HostTensor tensor(in.type, in.shape);
    const size_t size = size_of(in.type);
    for (size_t i = 0; i < in.numbers.size(); ++i) std::memcpy(tensor.data.data() + i * size, &in.numbers[i], size);
    tensors.push_back(std::move(tensor));
  }
  node.outputs = {add(output)};
  std::vector<const HostTensor*> arguments;
  for (const HostTensor& tensor : tensors) arguments.push_back(&tensor);
  const auto results = ref::evaluate(graph, node, arguments);
  EXPECT_TRUE(results.ok()) << results.status().message();
  std::vector<int> numbers;
  for (int64_t i = 0; results.ok() && i < output.shape.elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    numbers.push_back(output.type == DataType::kInt8 ? results->at(0).as<int8_t>()[at]
                                                     : results->at(0).as<uint8_t>()[at]);
  }
  return numbers;
}

constexpr DataType kInt8 = DataType::kInt8, kUInt8 = DataType::kUInt8;

// In 16 bits and without rounding the last product, like the TensorFlow Lite kernel: 49 steps of 0.0391 are 57.49 of
// 0.0273.
TEST(RefQuantized, HardSwishIsComputedInSixteenBits) {
  const std::vector<int> steps{-128, -80, -77, -76, -40, -1, 0, 1, 7, 49, 76, 77, 100, 127};
  const std::vector<int> expected{0, 0, 0, -1, -14, -1, 0, 1, 5, 58, 108, 110, 127, 127};
  EXPECT_EQ(evaluate_integers(OpType::kHardSwish, {}, {{kInt8, {14}, steps, 0.0391f}}, {kInt8, {14}, {}, 0.0273f}),
            expected);
  std::vector<int> bytes;
  for (const int q : steps) bytes.push_back(q + 128);
  const std::vector<int> shifted{30, 30, 30, 29, 16, 29, 30, 31, 35, 88, 138, 140, 173, 212};
  EXPECT_EQ(
      evaluate_integers(OpType::kHardSwish, {}, {{kUInt8, {14}, bytes, 0.0391f, 128}}, {kUInt8, {14}, {}, 0.0273f, 30}),
      shifted);
}

// Halves are first rounded up and then, for the rest of a shift, away from zero.
TEST(RefQuantized, ActivationsAreScaledInFixedPoint) {
  const Integers steps{kInt8, {5}, {-3, -1, 0, 1, 3}, 0.5f};
  EXPECT_EQ(evaluate_integers(OpType::kReluN1To1, {}, {steps}, {kInt8, {5}, {}}), (std::vector<int>{-1, 0, 0, 1, 1}));
  EXPECT_EQ(evaluate_integers(OpType::kRelu, {}, {steps}, {kInt8, {5}, {}}), (std::vector<int>{0, 0, 0, 1, 2}));
  EXPECT_EQ(evaluate_integers(OpType::kLeakyRelu, LeakyReluAttr{0.5f}, {{kInt8, {4}, {-6, -2, -1, 3}, 0.5f}},
                              {kInt8, {4}, {}}),
            (std::vector<int>{-2, -1, 0, 2}));
}

TEST(RefQuantized, ConvolutionScalesItsSums) {
  // Steps 4 and -2 times 3 and 5: a sum of 2, in steps of 0.5 * 0.25 / 0.125 = 1.
  const Integers data{kUInt8, {1, 1, 1, 2}, {104, 98}, 0.5f, 100}, weights{kUInt8, {1, 1, 1, 2}, {13, 15}, 0.25f, 10};
  const Integers out{kUInt8, {1, 1, 1, 1}, {}, 0.125f, 7};
  EXPECT_EQ(evaluate_integers(OpType::kConv2d, Conv2dAttr{}, {data, weights}, out), std::vector<int>{9});
}

TEST(RefQuantized, SignedConvolutionsRoundHalvesUpAndUnsignedOnesAway) {
  // A sum of -6 times 1/4: -1.5.
  const auto result = [](DataType type) {
    const Integers data{type, {1, 1, 1, 1}, {97}, 0.5f, 100}, weights{type, {1, 1, 1, 1}, {2}, 0.5f, 0};
    return evaluate_integers(OpType::kConv2d, Conv2dAttr{}, {data, weights}, {type, {1, 1, 1, 1}, {}, 1.0f, 50});
  };
  EXPECT_EQ(result(kInt8), std::vector<int>{49});
  EXPECT_EQ(result(kUInt8), std::vector<int>{48});
}

// A sum of 5 times 0.25 is 1.25. Rounded to 2.5 first, then to 3 halves, it is 2.
TEST(RefQuantized, MatrixProductsOfSignedBytesAreRoundedOnce) {
  const auto result = [](OpType op, const Attributes& attributes, DataType type, const Shape& shape) {
    const Integers data{type, shape, {105}, 0.5f, 100}, weights{type, shape, {1}, 0.5f, 0};
    return evaluate_integers(op, attributes, {data, weights}, {type, shape, {}, 1.0f, 50});
  };
  const Shape pixel{1, 1, 1, 1};
  EXPECT_EQ(result(OpType::kConv2d, Conv2dAttr{}, kInt8, pixel), std::vector<int>{51});
  EXPECT_EQ(result(OpType::kFullyConnected, FullyConnectedAttr{}, kInt8, {1, 1}), std::vector<int>{51});
  EXPECT_EQ(result(OpType::kConv2d, Conv2dAttr{}, kUInt8, pixel), std::vector<int>{52});
  EXPECT_EQ(result(OpType::kFullyConnected, FullyConnectedAttr{}, kUInt8, {1, 1}), std::vector<int>{52});
  EXPECT_EQ(result(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{}, kInt8, pixel), std::vector<int>{52});
}

// As above: 5 steps of 0.25. Negative: -5 steps times 2, of 0.125 each.
TEST(RefQuantized, PreluIsRoundedTwice) {
  for (const DataType type : {kInt8, kUInt8}) {
    const Integers data{type, {2}, {55, 45}, 0.25f, 50}, slope{type, {1}, {12}, 0.5f, 10};
    EXPECT_EQ(evaluate_integers(OpType::kPrelu, {}, {data, slope}, {type, {2}, {}, 1.0f, 20}),
              (std::vector<int>{22, 19}));
  }
}

// 3 * 0.5 - 1 * 0.25 is 1.25; its square, 1.5625, in steps of 0.25, is 6.25.
TEST(RefQuantized, SquaredDifferencesAreScaledInFixedPoint) {
  const Integers a{kInt8, {1}, {4}, 0.5f, 1}, b{kInt8, {1}, {-1}, 0.25f, -2};
  EXPECT_EQ(evaluate_integers(OpType::kSquaredDifference, {}, {a, b}, {kInt8, {1}, {}, 0.25f, -3}),
            std::vector<int>{3});
}

TEST(RefQuantized, NumbersAreKeptInAnotherQuantization) {
  const std::vector<int> numbers{-128, -7, 0, 127};
  EXPECT_EQ(evaluate_integers(OpType::kReinterpret, {}, {{kInt8, {4}, numbers, 0.5f, -7}}, {kInt8, {4}, {}, 0.1f, 30}),
            numbers);
  // NEG ignores the zero points, and wraps around.
  EXPECT_EQ(evaluate_integers(OpType::kNeg, {}, {{kInt8, {4}, numbers, 0.5f, -7}}, {kInt8, {4}, {}, 0.5f, 30}),
            (std::vector<int>{-128, 7, 0, -127}));
}

TEST(RefQuantized, ActivationsNarrowTheRange) {
  const Integers in{kInt8, {4}, {-100, 0, 10, 127}, 0.1f, 0}, zero{kInt8, {4}, {0, 0, 0, 0}, 0.1f, 0};
  const Integers out{kInt8, {4}, {}, 0.1f, -20};
  EXPECT_EQ(evaluate_integers(OpType::kAdd, {}, {in, zero}, out, Activation::kRelu6),
            (std::vector<int>{-20, -20, -10, 40}));
}

TEST(RefQuantized, SumsOfDifferentScales) {
  // 10 * 0.5 + 4 * 0.25 = 6 and 10 * 0.5 - 4 * 0.25 = 4, in steps of 2 from 3.
  const Integers a{kInt8, {1}, {11}, 0.5f, 1}, b{kInt8, {1}, {2}, 0.25f, -2}, out{kInt8, {1}, {}, 2.0f, 3};
  EXPECT_EQ(evaluate_integers(OpType::kAdd, {}, {a, b}, out), std::vector<int>{6});
  EXPECT_EQ(evaluate_integers(OpType::kSub, {}, {a, b}, out), std::vector<int>{5});
  EXPECT_EQ(evaluate_integers(OpType::kMul, {}, {a, b}, out), std::vector<int>{6});  // 5 / 2: 2.5, away from zero
}

TEST(RefQuantized, AveragesRoundTheStoredIntegers) {
  // The average of -3 and 2 is -0.5. Rounded away from zero it is -1, although it is 2.5 steps above the zero point of
  // -3.
  const Integers in{kInt8, {1, 1, 2, 1}, {-3, 2}, 1.0f, -3};
  EXPECT_EQ(
      evaluate_integers(OpType::kAveragePool2d, Pool2dAttr{{}, 1, 1, 1, 2}, {in}, {kInt8, {1, 1, 1, 1}, {}, 1.0f, -3}),
      std::vector<int>{-1});
}

TEST(RefQuantized, MeansAreRoundedTwice) {
  // Steps 1, 2, 2, 4 from the zero point: a sum of 9, times 2 / 4 is 4.5, away from zero.
  const Integers in{kInt8, {1, 2, 2, 1}, {6, 7, 7, 9}, 0.5f, 5};
  EXPECT_EQ(evaluate_integers(OpType::kMean, ReduceAttr{{1, 2}, false}, {in}, {kInt8, {1, 1}, {}, 0.25f, 0}),
            std::vector<int>{5});
}

// The same real numbers, 0.3, in steps of 0.5. If rows and columns are kept: a sum of 8 times 0.3 / (4 * 0.5) is 1.2,
// rounded. Then the 0.6 steps of the zero point, rounded, are subtracted. Otherwise: a sum of 4 steps times 0.6 / 4 is
// 0.6, rounded.
TEST(RefQuantized, MeansThatKeepRowsAndColumnsTakeTheZeroPointOffLast) {
  const Integers in{kInt8, {1, 2, 2, 1}, {2, 2, 2, 2}, 0.3f, 1};
  EXPECT_EQ(evaluate_integers(OpType::kMean, ReduceAttr{{1, 2}, true}, {in}, {kInt8, {1, 1, 1, 1}, {}, 0.5f, 0}),
            std::vector<int>{0});
  EXPECT_EQ(evaluate_integers(OpType::kMean, ReduceAttr{{1, 2}, false}, {in}, {kInt8, {1, 1}, {}, 0.5f, 0}),
            std::vector<int>{1});
}

TEST(RefQuantized, DynamicRangesArePerGroup) {
  const HostTensor in = floats({2, 3}, {-127, 63.6f, 1, 0, 0, 0});
  expect_floats(evaluate(OpType::kDynamicQuantize, DynamicQuantizeAttr{3, false}, {in}), {2, 3},
                {-127, 64, 1, 0, 0, 0});
  // From 0 to 255: a step of 1 and a zero point of -128.
  const HostTensor positive = floats({1, 3}, {0, 99.4f, 255});
  expect_floats(evaluate(OpType::kDynamicQuantize, DynamicQuantizeAttr{3, true}, {positive}), {1, 3}, {0, 99, 255});
}

}  // namespace
}  // namespace sightglass::test

// LSTM on independently computed values. Integer LSTM has one cell whose scales are powers of two, so that the values
// can be computed by hand.
#include "graph/lstm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

// An LSTM whose inputs are set one by one. The states are inputs of the graph too.
struct LstmCase {
  explicit LstmCase(LstmAttr attr) : attr_(attr) {}

  void give(size_t input, HostTensor tensor) {
    if (inputs_.size() <= input) inputs_.resize(input + 1);
    inputs_[input] = std::move(tensor);
  }
  void give_gates(size_t first, const HostTensor& tensor) {
    for (size_t gate = 0; gate < lstm::kGates; ++gate) give(first + gate, tensor);
  }

  // Data, hidden state, cells after the node has run.
  std::vector<HostTensor> run() {
    if (!attr_.basic) inputs_.resize(std::max(inputs_.size(), lstm::kNorm));
    Graph graph;
    Node node;
    node.op = OpType::kLstm;
    node.attributes = attr_;
    std::vector<const HostTensor*> arguments;
    for (const HostTensor& tensor : inputs_) {
      const bool there = !tensor.data.empty();
      Value value;
      value.shape = tensor.shape;
      node.inputs.push_back(there ? graph.add_value(std::move(value)) : kNone);
      arguments.push_back(there ? &tensor : nullptr);
    }
    for (int i = 0; i < 3; ++i) node.outputs.push_back(graph.add_value({}));
    const auto shapes = value_of(infer_shapes(graph, node));
    for (size_t i = 0; i < 3; ++i) graph.value(node.outputs[i]).shape = shapes.at(i);
    auto outputs = ref::evaluate(graph, node, arguments);
    EXPECT_TRUE(outputs.ok()) << outputs.status().message();
    return outputs.ok() ? std::move(outputs).value() : std::vector<HostTensor>{};
  }

  LstmAttr attr_;
  std::vector<HostTensor> inputs_;
};

// One cell: all weights are 1 except those that a test sets.
LstmCase one_cell(LstmAttr attr = {}, float hidden = 0, float cell = 0) {
  LstmCase lstm(attr);
  lstm.give(lstm::kData, floats({1, 1}, {0.5f}));
  lstm.give_gates(lstm::kInputWeights, floats({1, 1}, {1}));
  lstm.give_gates(lstm::kRecurrentWeights, floats({1, 1}, {1}));
  lstm.give_gates(lstm::kBias, floats({1}, {0}));
  lstm.give(lstm::kHidden, floats({1, 1}, {hidden}));
  lstm.give(lstm::kCell, floats({1, 1}, {cell}));
  return lstm;
}

TEST(RefLstm, OneCellOneStep) {
  const auto out = one_cell({}, 0.25f, -2).run();
  const double gate = sigmoid(0.75), c = gate * -2 + gate * std::tanh(0.75), h = gate * std::tanh(c);
  expect_floats(out[0], {1, 1}, {static_cast<float>(h)}, 1e-7f);
  expect_floats(out[1], {1, 1}, {static_cast<float>(h)}, 1e-7f);
  expect_floats(out[2], {1, 1}, {static_cast<float>(c)}, 1e-7f);
}

TEST(RefLstm, EveryGateHasItsOwnWeights) {
  LstmCase lstm = one_cell({}, 0, 1);
  for (size_t gate = 0; gate < lstm::kGates; ++gate) {
    lstm.give(lstm::kInputWeights + gate, floats({1, 1}, {static_cast<float>(gate + 1)}));
    lstm.give(lstm::kBias + gate, floats({1}, {0.125f * static_cast<float>(gate)}));
  }
  const double i = sigmoid(0.5), f = sigmoid(1.125), g = std::tanh(1.75), o = sigmoid(2.375);
  const double c = f + i * g;
  const auto out = lstm.run();
  expect_floats(out[2], {1, 1}, {static_cast<float>(c)}, 1e-6f);
  expect_floats(out[0], {1, 1}, {static_cast<float>(o * std::tanh(c))}, 1e-6f);
}

TEST(RefLstm, TheInputGateMayBeCoupled) {
  LstmCase lstm = one_cell({}, 0, -1);
  for (const size_t input : {lstm::kInputWeights, lstm::kRecurrentWeights, lstm::kBias}) lstm.give(input, absent());
  const double f = sigmoid(0.5), c = -f + (1 - f) * std::tanh(0.5);
  expect_floats(lstm.run()[2], {1, 1}, {static_cast<float>(c)}, 1e-7f);
}

TEST(RefLstm, PeepholesReadTheCells) {
  LstmCase lstm = one_cell({}, 0, 2);
  lstm.give(lstm::kPeephole, floats({1}, {-0.5f}));
  lstm.give(lstm::kPeephole + 1, floats({1}, {0.25f}));
  lstm.give(lstm::kPeephole + 2, floats({1}, {3}));
  const double i = sigmoid(0.5 - 1), f = sigmoid(0.5 + 0.5), c = f * 2 + i * std::tanh(0.5);
  const auto out = lstm.run();
  expect_floats(out[2], {1, 1}, {static_cast<float>(c)}, 1e-6f);
  expect_floats(out[0], {1, 1}, {static_cast<float>(sigmoid(0.5 + 3 * c) * std::tanh(c))}, 1e-6f);
}

TEST(RefLstm, CellsAndProjectionAreClipped) {
  LstmAttr attr;
  attr.cell_clip = 0.5f;
  expect_floats(one_cell(attr, 0, 10).run()[2], {1, 1}, {0.5f});
  expect_floats(one_cell(attr, 0, -10).run()[2], {1, 1}, {-0.5f});
  attr.projection_clip = 0.75f;
  LstmCase lstm = one_cell(attr);
  lstm.give(lstm::kProjection, floats({1, 1}, {100}));
  expect_floats(lstm.run()[1], {1, 1}, {0.75f});
}

TEST(RefLstm, AnotherActivation) {
  LstmAttr attr;
  attr.activation = Activation::kRelu;
  const double gate = sigmoid(0.5), c = gate * 0.5;
  expect_floats(one_cell(attr).run()[0], {1, 1}, {static_cast<float>(gate * c)}, 1e-7f);
}

// The values are from the TensorFlow Lite kernel. A few lines of Python give the same values.
TEST(RefLstm, NormalizationAndProjectionOverASequence) {
  const HostTensor matrix = floats({2, 2}, {0.36856f, 0.3001f, -0.12599f, 0.58922f});
  const HostTensor vector = floats({2}, {0.36856f, 0.3001f});
  const float x0 = 0.5665615200996399f, x1 = 0.7457817196846008f;
  for (const bool time_major : {false, true}) {
    LstmAttr attr;
    attr.time_major = time_major;
    LstmCase lstm(attr);
    lstm.give(lstm::kData,
              time_major ? floats({3, 1, 2}, {x0, x1, x0, x1, x0, x1}) : floats({1, 3, 2}, {x0, x1, x0, x1, x0, x1}));
    lstm.give_gates(lstm::kInputWeights, matrix);
    lstm.give_gates(lstm::kRecurrentWeights, matrix);
    lstm.give_gates(lstm::kBias, vector);
    lstm.give_gates(lstm::kNorm, vector);
    lstm.give(lstm::kProjection, matrix);
    lstm.give(lstm::kProjectionBias, vector);
    lstm.give(lstm::kHidden, floats({1, 2}, {0, 0}));
    lstm.give(lstm::kCell, floats({1, 2}, {0, 0}));
    const auto out = lstm.run();
    expect_floats(out[0], time_major ? Shape{3, 1, 2} : Shape{1, 3, 2},
                  {0.4684198f, 0.2659638f, 0.5210045f, 0.2479879f, 0.5477847f, 0.2388332f}, 1e-5f);
    expect_floats(out[1], {1, 2}, {0.5477847f, 0.2388332f}, 1e-5f);
  }
}

TEST(RefLstm, BatchesAndTimeStepsAreIndependent) {
  LstmAttr attr;
  for (const bool time_major : {false, true}) {
    attr.time_major = time_major;
    LstmCase both = one_cell(attr);
    // Batch 0 reads 1, 2; batch 1 reads 3, 4.
    both.give(lstm::kData, time_major ? floats({2, 2, 1}, {1, 3, 2, 4}) : floats({2, 2, 1}, {1, 2, 3, 4}));
    both.give(lstm::kHidden, floats({2, 1}, {0.5f, -0.5f}));
    both.give(lstm::kCell, floats({2, 1}, {1, -1}));
    const auto out = both.run();
    for (int b = 0; b < 2; ++b) {
      LstmCase one = one_cell({}, b == 0 ? 0.5f : -0.5f, b == 0 ? 1.0f : -1.0f);
      one.give(lstm::kData, b == 0 ? floats({1, 2, 1}, {1, 2}) : floats({1, 2, 1}, {3, 4}));
      const auto expected = one.run();
      for (int t = 0; t < 2; ++t) {
        const auto at = static_cast<size_t>(time_major ? t * 2 + b : b * 2 + t);
        EXPECT_EQ(out[0].as<float>()[at], expected[0].as<float>()[static_cast<size_t>(t)]);
      }
      EXPECT_EQ(out[2].as<float>()[static_cast<size_t>(b)], expected[2].as<float>()[0]);
    }
  }
}

TEST(RefLstm, TheBasicFormHasTheSameWeights) {
  LstmAttr attr;
  attr.basic = true;
  LstmCase basic(attr);
  basic.give(0, floats({1, 1}, {0.5f}));
  basic.give(lstm::kBasicHidden, floats({1, 1}, {0.25f}));
  // Rows: input, cell, forget, output; columns: data, hidden.
  basic.give(lstm::kBasicWeights, floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  basic.give(lstm::kBasicBias, floats({4}, {0.1f, 0.2f, 0.3f, 0.4f}));
  basic.give(lstm::kBasicCell, floats({1, 1}, {-1}));
  const double i = sigmoid(1.1), g = std::tanh(2.7), f = sigmoid(4.3), o = sigmoid(5.9), c = i * g - f;
  const auto out = basic.run();
  expect_floats(out[2], {1, 1}, {static_cast<float>(c)}, 1e-6f);
  expect_floats(out[0], {1, 1}, {static_cast<float>(o * std::tanh(c))}, 1e-6f);
}

TEST(RefLstm, StatesPersistBetweenRuns) {
  Graph graph;
  Node node;
  node.op = OpType::kLstm;
  node.attributes = LstmAttr{};
  const auto value = [&graph](const Shape& shape) {
    Value v;
    v.shape = shape;
    return graph.add_value(std::move(v));
  };
  LstmCase once = one_cell();
  for (const HostTensor& tensor : once.inputs_) {
    if (tensor.data.empty()) {
      node.inputs.push_back(kNone);
    } else if (node.inputs.empty() || node.inputs.size() >= lstm::kHidden) {
      node.inputs.push_back(value(tensor.shape));
    } else {
      node.inputs.push_back(graph.add_constant("c", tensor.shape, tensor.as<float>()));
    }
  }
  for (int i = 0; i < 3; ++i) node.outputs.push_back(value({1, 1}));
  graph.inputs = {node.inputs[lstm::kData]};
  graph.outputs = {node.outputs[0]};
  graph.states = {{node.inputs[lstm::kHidden], node.outputs[1], {}}, {node.inputs[lstm::kCell], node.outputs[2], {}}};
  graph.add_node(node);
  ASSERT_TRUE(verify(graph).ok()) << verify(graph).message();

  std::vector<HostTensor> states;
  float hidden = 0, cell = 0;
  for (int run = 0; run < 3; ++run) {
    const auto out = value_of(ref::run(graph, {floats({1, 1}, {0.5f})}, &states));
    const auto expected = one_cell({}, hidden, cell).run();
    hidden = expected[1].as<float>()[0];
    cell = expected[2].as<float>()[0];
    expect_floats(out[0], {1, 1}, {hidden});
  }
}

struct Operand {
  DataType type = DataType::kInt8;
  Shape shape;
  std::vector<int64_t> values;
  float scale = 0;  // 0: none
  int64_t zero_point = 0;
};

HostTensor tensor_of(const Operand& operand) {
  HostTensor tensor(operand.type, operand.shape);
  for (size_t i = 0; i < operand.values.size(); ++i) {
    const size_t size = size_of(operand.type);
    std::memcpy(tensor.data.data() + i * size, &operand.values[i], size);
  }
  return tensor;
}

// Data and weights are in steps of 2^-6, so the sums of the gates are in steps of 2^-12. Cells are in steps of 2^-11.
struct OneCell {
  std::vector<Operand> operands = std::vector<Operand>(lstm::kNorm);
  LstmAttr attr;
  float out_scale = 0x1p-7f;

  OneCell() {
    attr.made_scale = 0x1p-7f;
    operands[lstm::kData] = {DataType::kInt8, {1, 1}, {64}, 0x1p-6f};
    for (size_t gate = 0; gate < lstm::kGates; ++gate) {
      operands[lstm::kInputWeights + gate] = {DataType::kInt8, {1, 1}, {64}, 0x1p-6f};
      operands[lstm::kRecurrentWeights + gate] = {DataType::kInt8, {1, 1}, {0}, 0x1p-6f};
      operands[lstm::kBias + gate] = {DataType::kInt32, {1}, {0}};
    }
    operands[lstm::kHidden] = {DataType::kInt8, {1, 1}, {0}, 0x1p-7f};
    operands[lstm::kCell] = {DataType::kInt16, {1, 1}, {-1000}, 0x1p-11f};
  }

  Result<std::vector<HostTensor>> run() const {
    Graph graph;
    Node node;
    node.op = OpType::kLstm;
    node.attributes = attr;
    std::vector<HostTensor> tensors;
    for (const Operand& operand : operands) tensors.push_back(tensor_of(operand));
    std::vector<const HostTensor*> arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool there = !operands[i].values.empty();
      node.inputs.push_back(there ? add(graph, operands[i]) : kNone);
      arguments.push_back(there ? &tensors[i] : nullptr);
    }
    Operand out = operands[lstm::kHidden];
    out.scale = out_scale;
    node.outputs = {add(graph, out), add(graph, operands[lstm::kHidden]), add(graph, operands[lstm::kCell])};
    return ref::evaluate(graph, node, arguments);
  }

  // Data, hidden state, and cell after the node has run.
  void expect(int64_t made, int64_t cell) const {
    const auto out = value_of(run());
    expect_integers(out[0], DataType::kInt8, {1, 1}, {made});
    expect_integers(out[1], DataType::kInt8, {1, 1}, {made});
    expect_integers(out[2], DataType::kInt16, {1, 1}, {cell});
  }

  void expect_refused(const std::string& part) const { expect_failure(run(), {part}); }

 private:
  static ValueId add(Graph& graph, const Operand& operand) {
    Value value;
    value.name = "v" + std::to_string(graph.value_count());
    value.type = operand.type;
    value.shape = operand.shape;
    if (operand.scale > 0) value.quantization = {{operand.scale}, {operand.zero_point}, 0};
    return graph.add_value(std::move(value));
  }
};

// All gates' sums are 4096, 1: sigmoid 23952, tanh 24964. The cell keeps -731 of -1000 and takes 1140.5, rounded down;
// of 409 steps, 0.1997, tanh is 0.1971, times 23952 / 32768 are 18.4 steps of 2^-7.
TEST(RefLstmIntegers, OneCellOneStep) { OneCell().expect(18, 409); }

TEST(RefLstmIntegers, ZeroPointsAreAdded) {
  OneCell lstm;
  lstm.operands[lstm::kData].values = {57};
  lstm.operands[lstm::kData].zero_point = -7;
  lstm.operands[lstm::kHidden].values = {-4};
  lstm.operands[lstm::kHidden].zero_point = -4;
  lstm.attr.made_zero_point = -4;
  lstm.expect(14, 409);
}

TEST(RefLstmIntegers, TheHiddenStateCounts) {
  OneCell lstm;
  lstm.operands[lstm::kData].values = {0};
  lstm.operands[lstm::kHidden].values = {64};  // times 128 in steps of 2^-13: 4096 steps of 2^-12
  for (size_t gate = 0; gate < lstm::kGates; ++gate) lstm.operands[lstm::kRecurrentWeights + gate].values = {127};
  // 64 * 127 / 2 = 4064: sigmoid and tanh of 0.992, a little less than above.
  const auto out = value_of(lstm.run());
  EXPECT_NEAR(out[2].as<int16_t>()[0], 409, 12);
}

// At most 32767 steps, and at most the clip.
TEST(RefLstmIntegers, CellsAreBounded) {
  OneCell lstm;
  lstm.operands[lstm::kCell].values = {32767};
  for (size_t gate = 0; gate < lstm::kGates; ++gate) lstm.operands[lstm::kBias + gate].values = {28000};
  const auto out = value_of(lstm.run());
  EXPECT_EQ(out[2].as<int16_t>()[0], 32767);
  lstm.attr.cell_clip = 0.25f;
  const auto clipped = value_of(lstm.run());
  EXPECT_EQ(clipped[2].as<int16_t>()[0], 512);
}

TEST(RefLstmIntegers, UnsupportedOperandsAreNamed) {
  const auto refused = [](const std::function<void(OneCell&)>& change, const std::string& part) {
    OneCell lstm;
    change(lstm);
    lstm.expect_refused(part);
  };
  refused([](OneCell& l) { l.operands[lstm::kCell].scale = 0.0006f; }, "not a power of two");
  refused([](OneCell& l) { l.operands[lstm::kCell].scale = 0x1p-8f; }, "not a power of two");
  refused([](OneCell& l) { l.operands[lstm::kCell].scale = 0; }, "no single positive scale");
  refused([](OneCell& l) { l.operands[lstm::kInputWeights + 1].scale = 0; }, "no single positive scale");
  refused([](OneCell& l) { l.operands[lstm::kInputWeights + 1].zero_point = 1; }, "zero point 1");
  refused([](OneCell& l) { l.operands[lstm::kBias] = {DataType::kInt16, {1}, {0}}; }, "is int16, not int32");
  refused([](OneCell& l) { l.operands[lstm::kData].type = DataType::kUInt8; }, "is uint8, not int8");
  refused([](OneCell& l) { l.attr.made_zero_point = 3; }, "but the outputs of the cells have 3");
  refused([](OneCell& l) { l.attr.made_scale = 0; }, "without a scale");
  refused([](OneCell& l) { l.attr.activation = Activation::kRelu; }, "without TANH");
  refused([](OneCell& l) { l.out_scale = 0; }, "without a scale");
}

}  // namespace
}  // namespace sightglass::test

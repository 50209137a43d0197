// LSTM on independently computed values.
#include "graph/lstm.h"

#include <gtest/gtest.h>

#include <cmath>

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
    const auto shapes = infer_shapes(graph, node);
    EXPECT_TRUE(shapes.ok()) << shapes.status().message();
    if (!shapes.ok()) return {};
    for (size_t i = 0; i < 3; ++i) graph.value(node.outputs[i]).shape = shapes->at(i);
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
    const auto out = ref::run(graph, {floats({1, 1}, {0.5f})}, &states);
    ASSERT_TRUE(out.ok()) << out.status().message();
    const auto expected = one_cell({}, hidden, cell).run();
    hidden = expected[1].as<float>()[0];
    cell = expected[2].as<float>()[0];
    expect_floats((*out)[0], {1, 1}, {hidden});
  }
}

}  // namespace
}  // namespace sightglass::test

// Integer LSTM, on one cell whose scales are powers of two, so that the values can be computed by hand.
#include <gtest/gtest.h>

#include <functional>

#include "graph/lstm.h"
#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

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
    const auto out = run();
    ASSERT_TRUE(out.ok()) << out.status().message();
    expect_integers((*out)[0], DataType::kInt8, {1, 1}, {made});
    expect_integers((*out)[1], DataType::kInt8, {1, 1}, {made});
    expect_integers((*out)[2], DataType::kInt16, {1, 1}, {cell});
  }

  void expect_refused(const std::string& part) const {
    const auto out = run();
    ASSERT_FALSE(out.ok());
    EXPECT_NE(out.status().message().find(part), std::string::npos) << out.status().message();
  }

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
  const auto out = lstm.run();
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_NEAR((*out)[2].as<int16_t>()[0], 409, 12);
}

// At most 32767 steps, and at most the clip.
TEST(RefLstmIntegers, CellsAreBounded) {
  OneCell lstm;
  lstm.operands[lstm::kCell].values = {32767};
  for (size_t gate = 0; gate < lstm::kGates; ++gate) lstm.operands[lstm::kBias + gate].values = {28000};
  const auto out = lstm.run();
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[2].as<int16_t>()[0], 32767);
  lstm.attr.cell_clip = 0.25f;
  const auto clipped = lstm.run();
  ASSERT_TRUE(clipped.ok()) << clipped.status().message();
  EXPECT_EQ((*clipped)[2].as<int16_t>()[0], 512);
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

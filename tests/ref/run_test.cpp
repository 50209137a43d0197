// Whole graphs on the reference kernels.
#include <gtest/gtest.h>

#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

ValueId add_value(Graph& graph, const std::string& name, const Shape& shape) {
  Value value;
  value.name = name;
  value.shape = shape;
  return graph.add_value(std::move(value));
}

ValueId add_op(Graph& graph, OpType op, std::vector<ValueId> inputs, const std::string& name, const Shape& shape) {
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = {add_value(graph, name, shape)};
  const ValueId out = node.outputs[0];
  graph.add_node(std::move(node));
  return out;
}

ValueId add_half_constant(Graph& graph, const std::string& name, const std::vector<float>& values) {
  const auto storage = std::make_shared<std::vector<uint16_t>>();
  for (const float value : values) storage->push_back(float_to_half(value));
  const ValueId id = add_value(graph, name, {static_cast<int32_t>(values.size())});
  graph.value(id).constant = Constant{DataType::kFloat16, std::as_bytes(std::span(*storage)), storage};
  return id;
}

// (a - b) * (a - b), and the difference itself. b is a constant in half precision.
Graph squared_difference() {
  Graph graph;
  graph.name = "squared difference";
  const ValueId a = add_value(graph, "a", {2});
  const ValueId b = add_half_constant(graph, "b", {1, 0.5f});
  const ValueId difference = add_op(graph, OpType::kSub, {a, b}, "difference", {2});
  const ValueId square = add_op(graph, OpType::kMul, {difference, difference}, "square", {2});
  graph.inputs = {a};
  graph.outputs = {square, difference};
  return graph;
}

TEST(RefRun, ReturnsOutputsInGraphOrder) {
  const Graph graph = squared_difference();
  ASSERT_TRUE(verify(graph).ok()) << verify(graph).message();
  const auto outputs = value_of(ref::run(graph, {floats({2}, {4, -0.5f})}));
  ASSERT_EQ(outputs.size(), 2u);
  expect_floats(outputs[0], {2}, {9, 1});
  expect_floats(outputs[1], {2}, {3, -1});
}

TEST(RefRun, AnOutputMayBeAnInputOrAConstant) {
  Graph graph;
  const ValueId in = add_value(graph, "in", {1});
  graph.inputs = {in};
  graph.outputs = {in, graph.add_constant("seven", {1}, std::vector<float>{7}), in};
  const auto outputs = value_of(ref::run(graph, {floats({1}, {3})}));
  ASSERT_EQ(outputs.size(), 3u);
  expect_floats(outputs[0], {1}, {3});
  expect_floats(outputs[1], {1}, {7});
  expect_floats(outputs[2], {1}, {3});
}

TEST(RefRun, NamesTheInputThatDoesNotFit) {
  const Graph graph = squared_difference();
  EXPECT_EQ(ref::run(graph, {}).status().message(), "the graph has 1 inputs; 0 were given");
  const Status status = ref::run(graph, {floats({3}, {1, 2, 3})}).status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(status.message().find("'a' must be float32 2; float32 3 was given"), std::string::npos) << status.message();
}

TEST(RefConstantTensor, WidensHalfPrecision) {
  Graph graph;
  const ValueId id = add_half_constant(graph, "half", {1.5f, -2});
  const auto tensor = value_of(ref::constant_tensor(graph, id));
  expect_floats(tensor, {2}, {1.5f, -2});
}

TEST(RefConstantTensor, ChecksTheBytes) {
  Graph graph;
  const ValueId id = add_half_constant(graph, "short", {1, 2, 3});
  graph.value(id).shape = {4};
  const auto tensor = ref::constant_tensor(graph, id);
  EXPECT_EQ(tensor.status().code(), ErrorCode::kInvalidModel);
  EXPECT_NE(tensor.status().message().find("'short' has 6 bytes"), std::string::npos) << tensor.status().message();
}

}  // namespace
}  // namespace sightglass::test

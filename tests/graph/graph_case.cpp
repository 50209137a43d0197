#include "graph_case.h"

#include <gtest/gtest.h>

namespace sightglass::test {

ValueId add_value(Graph& graph, const std::string& name, const Shape& shape) {
  Value value;
  value.name = name;
  value.shape = shape;
  return graph.add_value(std::move(value));
}

ValueId add_input(Graph& graph, const std::string& name, const Shape& shape) {
  const ValueId id = add_value(graph, name, shape);
  graph.inputs.push_back(id);
  return id;
}

ValueId add_half_constant(Graph& graph, const std::string& name, const std::vector<float>& values, DataType type) {
  const auto storage = std::make_shared<std::vector<uint16_t>>();
  for (const float value : values) storage->push_back(float_to_half(value));
  const ValueId id = add_value(graph, name, {static_cast<int32_t>(values.size())});
  graph.value(id).type = type;
  graph.value(id).constant = Constant{DataType::kFloat16, std::as_bytes(std::span(*storage)), storage};
  return id;
}

ValueId add_op(Graph& graph, OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs,
               const std::string& name) {
  const ValueId out = add_value(graph, name, {});
  Node node;
  node.op = op;
  node.attributes = attributes;
  node.inputs = inputs;
  node.outputs = {out};
  node.origin = std::string(to_string(op)) + " #" + std::to_string(graph.node_count());
  const Result<std::vector<Shape>> shapes = infer_shapes(graph, node);
  EXPECT_TRUE(shapes.ok()) << shapes.status().message();
  if (shapes.ok()) graph.value(out).shape = shapes->front();
  graph.add_node(std::move(node));
  return out;
}

Chain make_chain() {
  Chain chain;
  Graph& graph = chain.graph;
  graph.name = "chain";
  chain.in = add_input(graph, "in", {1, 4});
  chain.relu = add_op(graph, OpType::kRelu, {}, {chain.in}, "relu");
  chain.sum = add_op(graph, OpType::kAdd, {}, {chain.relu, chain.relu}, "sum");
  chain.out = add_op(graph, OpType::kReshape, ReshapeAttr{{2, 2}}, {chain.sum}, "out");
  graph.outputs = {chain.out};
  return chain;
}

}  // namespace sightglass::test

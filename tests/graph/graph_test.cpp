#include "graph/graph.h"

#include <gtest/gtest.h>

#include "graph_case.h"

namespace sightglass::test {
namespace {

using Nodes = std::vector<NodeId>;

void expect_valid(const Graph& graph) {
  const Status status = verify(graph);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Graph, KnowsProducersAndUsers) {
  const Chain chain = make_chain();
  const Graph& graph = chain.graph;
  EXPECT_EQ(graph.order(), (Nodes{0, 1, 2}));
  EXPECT_EQ(graph.value(chain.in).producer, kNone);
  EXPECT_EQ(graph.value(chain.relu).producer, 0);
  EXPECT_EQ(graph.value(chain.relu).users, (Nodes{1, 1})) << "once per use";
  EXPECT_TRUE(graph.value(chain.out).users.empty());
  EXPECT_TRUE(graph.is_output(chain.out));
  EXPECT_FALSE(graph.is_output(chain.sum));
  expect_valid(graph);
}

TEST(Graph, InsertsANodeBeforeAnother) {
  Chain chain = make_chain();
  Graph& graph = chain.graph;
  Node node;
  node.op = OpType::kTanh;
  node.inputs = {chain.relu};
  node.outputs = {add_value(graph, "tanh", {1, 4})};
  const NodeId id = graph.add_node(std::move(node), 1);
  EXPECT_EQ(graph.order(), (Nodes{0, id, 1, 2}));
  expect_valid(graph);
}

TEST(Graph, ReplacesUsesAndOutputs) {
  Chain chain = make_chain();
  Graph& graph = chain.graph;
  graph.outputs = {chain.out, chain.relu};
  graph.replace_uses(chain.relu, chain.in);
  EXPECT_TRUE(graph.value(chain.relu).users.empty());
  EXPECT_EQ(graph.value(chain.in).users, (Nodes{0, 1, 1}));
  EXPECT_EQ(graph.node(1).inputs, (std::vector<ValueId>{chain.in, chain.in}));
  EXPECT_EQ(graph.outputs, (std::vector<ValueId>{chain.out, chain.in}));
  expect_valid(graph);
}

TEST(Graph, ReplacesOneOfTwoUsesOfAValue) {
  Chain chain = make_chain();
  Graph& graph = chain.graph;
  graph.set_input(1, 1, chain.in);
  EXPECT_EQ(graph.value(chain.relu).users, (Nodes{1}));
  EXPECT_EQ(graph.value(chain.in).users, (Nodes{0, 1}));
  expect_valid(graph);
}

TEST(Graph, AppendsInputsPresentAndAbsent) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, 2});
  const ValueId weights = graph.add_constant("weights", {1, 2}, std::vector<float>{1, 2});
  graph.outputs = {add_op(graph, OpType::kFullyConnected, FullyConnectedAttr{}, {in, weights}, "out")};
  graph.append_input(0, kNone);
  const ValueId slope = graph.add_constant("slope", {1}, std::vector<float>{0.5f});
  graph.append_input(0, slope);
  EXPECT_EQ(graph.node(0).inputs, (std::vector<ValueId>{in, weights, kNone, slope}));
  EXPECT_EQ(graph.value(slope).users, (Nodes{0}));
  expect_valid(graph);
}

TEST(Graph, ANodeTakesOverTheOutputOfAnother) {
  Chain chain = make_chain();
  Graph& graph = chain.graph;
  graph.remove_node(2);
  graph.value(chain.out).shape = {1, 4};
  graph.set_output(1, 0, chain.out);
  EXPECT_EQ(graph.value(chain.sum).producer, kNone);
  EXPECT_EQ(graph.value(chain.out).producer, 1);
  expect_valid(graph);
}

TEST(Graph, RemovedNodesKeepTheirIds) {
  Chain chain = make_chain();
  Graph& graph = chain.graph;
  graph.outputs = {chain.sum};
  graph.remove_node(2);
  EXPECT_TRUE(graph.node(2).removed);
  EXPECT_EQ(graph.node_count(), 3u);
  EXPECT_EQ(graph.order(), (Nodes{0, 1}));
  EXPECT_TRUE(graph.value(chain.sum).users.empty());
  EXPECT_EQ(graph.value(chain.out).producer, kNone);
  expect_valid(graph);
}

TEST(Graph, RemovesUnusedNodes) {
  Chain chain = make_chain();
  Graph& graph = chain.graph;
  const ValueId first = add_op(graph, OpType::kTanh, {}, {chain.relu}, "unread 1");
  add_op(graph, OpType::kExp, {}, {first}, "unread 2");
  EXPECT_EQ(graph.remove_dead_nodes(), 2);
  EXPECT_EQ(graph.order(), (Nodes{0, 1, 2}));
  EXPECT_EQ(graph.remove_dead_nodes(), 0);
  expect_valid(graph);
}

TEST(Graph, ReturnsConstantsAsFloats) {
  Graph graph;
  const std::vector<float> numbers{1.5f, -2, 0};
  EXPECT_EQ(graph.floats(graph.add_constant("float", {3}, numbers)), numbers);
  EXPECT_EQ(graph.floats(add_half_constant(graph, "half", numbers, DataType::kFloat32)), numbers);
  const auto storage = std::make_shared<std::vector<int8_t>>(std::vector<int8_t>{-128, 127});
  const ValueId bytes = add_value(graph, "bytes", {2});
  graph.value(bytes).constant = Constant{DataType::kInt8, std::as_bytes(std::span(*storage)), storage};
  EXPECT_EQ(graph.floats(bytes), (std::vector<float>{-128, 127}));
}

TEST(Graph, ConstantsOutliveTheirSource) {
  Graph graph;
  ValueId id = kNone;
  {
    const std::vector<float> numbers{1, 2, 3};
    id = graph.add_constant("c", {3}, numbers);
  }
  const Graph copy = graph;
  graph = Graph();
  EXPECT_EQ(copy.floats(id), (std::vector<float>{1, 2, 3}));
}

TEST(Graph, DescribesANode) {
  Chain chain = make_chain();
  EXPECT_EQ(describe(chain.graph, 1), "ADD #1 (output 'sum')");
  chain.graph.node(1).origin.clear();
  EXPECT_EQ(describe(chain.graph, 1), "ADD (output 'sum')");
}

}  // namespace
}  // namespace sightglass::test

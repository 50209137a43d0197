// Graphs and their checks. Each invariant is broken on purpose: verify() must detect and name the fault.
#include "graph/graph.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "graph/analyses.h"
#include "graph_case.h"
#include "ref/ref_ops.h"

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

void expect_violation(const std::string& expected, const std::function<void(Chain&)>& damage) {
  SCOPED_TRACE(expected);
  Chain chain = make_chain();
  ASSERT_TRUE(verify(chain.graph).ok()) << verify(chain.graph).message();
  damage(chain);
  const Status status = verify(chain.graph);
  ASSERT_FALSE(status.ok()) << "the fault was not detected";
  EXPECT_NE(status.message().find(expected), std::string::npos) << status.message();
}

TEST(Verify, ExecutionOrder) {
  expect_violation("node 1 is in the execution order but was removed",
                   [](Chain& c) { c.graph.node(1).removed = true; });
  expect_violation("reads tensor 'sum' before it is computed", [](Chain& c) {
    Node reader;
    reader.op = OpType::kTanh;
    reader.inputs = {c.sum};
    reader.outputs = {add_value(c.graph, "early", {1, 4})};
    c.graph.add_node(std::move(reader), 0);
  });
}

TEST(Verify, GraphInputsAndOutputs) {
  expect_violation("graph input 1 does not exist", [](Chain& c) { c.graph.inputs.push_back(99); });
  expect_violation("graph input tensor 'relu' is computed", [](Chain& c) { c.graph.inputs.push_back(c.relu); });
  expect_violation("tensor 'in' is a graph input twice", [](Chain& c) { c.graph.inputs.push_back(c.in); });
  expect_violation("graph input tensor 'c' is a constant",
                   [](Chain& c) { c.graph.inputs.push_back(c.graph.add_constant("c", {1}, std::vector<float>{1})); });
  expect_violation("graph output 1 does not exist", [](Chain& c) { c.graph.outputs.push_back(kNone); });
  expect_violation("'orphan'", [](Chain& c) { c.graph.outputs.push_back(add_value(c.graph, "orphan", {1})); });
}

TEST(Verify, States) {
  expect_violation("a state's tensor does not exist", [](Chain& c) { c.graph.states = {{c.in, 99, {}}}; });
  expect_violation("the state tensor 'in' is computed, a constant, or a state twice", [](Chain& c) {
    c.graph.states = {{c.in, c.in, {}}, {c.in, c.in, {}}};
  });
  expect_violation("of another type, shape or quantization", [](Chain& c) {
    c.graph.states = {{add_value(c.graph, "kept", {7}), c.sum, {}}};
  });
  expect_violation("which nothing computes", [](Chain& c) {
    c.graph.states = {{add_value(c.graph, "kept", {7}), add_value(c.graph, "never", {7}), {}}};
  });
  expect_violation("begins as a constant of another type or size", [](Chain& c) {
    const ValueId kept = add_value(c.graph, "kept", {7});
    c.graph.states = {{kept, kept, Constant{}}};
  });
  Chain chain = make_chain();
  const ValueId kept = add_value(chain.graph, "kept", {7});
  chain.graph.states = {{kept, kept, {}}};
  EXPECT_TRUE(verify(chain.graph).ok()) << verify(chain.graph).message();
  EXPECT_NE(dump_text(chain.graph).find("state %"), std::string::npos) << dump_text(chain.graph);
}

TEST(Verify, LinksBetweenNodesAndValues) {
  expect_violation("RELU #0 (output 'relu'): has an input that does not exist",
                   [](Chain& c) { c.graph.node(0).inputs[0] = 99; });
  expect_violation("node 0 has an output that does not exist", [](Chain& c) { c.graph.node(0).outputs[0] = -7; });
  expect_violation("node 0 has no outputs", [](Chain& c) { c.graph.node(0).outputs.clear(); });
  expect_violation("is not listed once per use among the users of tensor 'relu'",
                   [](Chain& c) { c.graph.value(c.relu).users.pop_back(); });
  expect_violation("names a user that does not read it", [](Chain& c) { c.graph.value(c.in).users.push_back(2); });
  expect_violation("tensor 'relu' names another producer", [](Chain& c) { c.graph.value(c.relu).producer = 2; });
  expect_violation("reads tensor 'orphan', which nothing computes", [](Chain& c) {
    c.graph.set_input(0, 0, add_value(c.graph, "orphan", {1, 4}));
  });
  expect_violation("writes the constant tensor 'relu'", [](Chain& c) {
    const ValueId constant = c.graph.add_constant("c", {1, 4}, std::vector<float>(4));
    c.graph.value(c.relu).constant = c.graph.value(constant).constant;
  });
}

TEST(Verify, ShapesAndTypes) {
  expect_violation("RELU #0 (output 'relu'): tensor 'relu' has shape 1x3 instead of 1x4", [](Chain& c) {
    c.graph.value(c.relu).shape = {1, 3};
  });
  expect_violation("tensor 'relu' is int32 instead of float32",
                   [](Chain& c) { c.graph.value(c.relu).type = DataType::kInt32; });
  expect_violation("RESHAPE #2", [](Chain& c) { c.graph.node(2).attributes = ReshapeAttr{{3, 3}}; });
  expect_violation("RESHAPE #2", [](Chain& c) { c.graph.node(2).attributes = SoftmaxAttr{}; });
}

TEST(Verify, PaddingFollowsFromItsMode) {
  expect_violation("padding does not match its mode", [](Chain& c) {
    const ValueId picture = add_op(c.graph, OpType::kReshape, ReshapeAttr{{1, 2, 2, 1}}, {c.sum}, "picture");
    add_op(c.graph, OpType::kMaxPool2d, Pool2dAttr{{PaddingMode::kSame}, 1, 1, 2, 2}, {picture}, "pool");
    std::get<Pool2dAttr>(c.graph.node(4).attributes).padding.bottom = 0;
  });
}

TEST(Verify, AFusedPreluHasSlopes) {
  const auto connect = [](Chain& c, const std::vector<ValueId>& rest) {
    const ValueId weights = c.graph.add_constant("weights", {3, 4}, std::vector<float>(12));
    std::vector<ValueId> inputs{c.sum, weights};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    add_op(c.graph, OpType::kFullyConnected, FullyConnectedAttr{}, inputs, "connected");
    c.graph.node(3).activation = Activation::kPrelu;
  };
  expect_violation("FULLY_CONNECTED #3 (output 'connected'): its activation prelu needs slopes, which are missing",
                   [&](Chain& c) { connect(c, {}); });
  expect_violation("input 'slopes' of shape 2 has no slope for each of 3 channels", [&](Chain& c) {
    connect(c, {kNone, c.graph.add_constant("slopes", {2}, std::vector<float>(2))});
  });
  expect_violation("ADD #1: it has no slopes for the activation prelu",
                   [](Chain& c) { c.graph.node(1).activation = Activation::kPrelu; });
}

TEST(Verify, ConstantsMatchTheirShape) {
  const auto constant = [](Chain& c) -> Value& {
    return c.graph.value(c.graph.add_constant("c", {3}, std::vector<float>(3)));
  };
  expect_violation("constant tensor 'c' has 12 bytes instead of 16", [&](Chain& c) { constant(c).shape = {4}; });
  expect_violation("constant tensor 'c' of type int32 is stored as float32",
                   [&](Chain& c) { constant(c).type = DataType::kInt32; });
}

TEST(Verify, AFloatMayBeStoredInHalfPrecision) {
  Graph graph;
  graph.outputs = {add_half_constant(graph, "c", {1, 2}, DataType::kFloat32)};
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).message();
}

// Folds node 0 of the graph, which must stay valid.
bool folds(Graph& graph) {
  bool folded = false;
  const Status status = fold_if_constant(graph, 0, &folded);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).message();
  EXPECT_EQ(graph.node(0).removed, folded);
  return folded;
}

TEST(Fold, ConstantOperandsBecomeAConstant) {
  Graph graph;
  const ValueId a = graph.add_constant("a", {2}, std::vector<float>{1, 2});
  const ValueId b = graph.add_constant("b", {2}, std::vector<float>{10, 20});
  const ValueId sum = add_op(graph, OpType::kAdd, {}, {a, b}, "sum");
  const ValueId in = add_input(graph, "in", {2});
  graph.outputs = {add_op(graph, OpType::kMul, {}, {in, sum}, "out")};
  ASSERT_TRUE(folds(graph));
  EXPECT_EQ(graph.floats(sum), (std::vector<float>{11, 22}));
  EXPECT_EQ(graph.order(), (std::vector<NodeId>{1}));
}

TEST(Fold, DequantizedHalvesStayHalves) {
  Graph graph;
  const ValueId half = add_half_constant(graph, "half", {1.5f, -2}, DataType::kFloat16);
  const ValueId wide = add_op(graph, OpType::kDequantize, {}, {half}, "wide");
  const ValueId in = add_input(graph, "in", {2});
  graph.outputs = {add_op(graph, OpType::kMul, {}, {in, wide}, "out")};
  ASSERT_TRUE(folds(graph));
  ASSERT_TRUE(graph.is_constant(wide));
  EXPECT_EQ(graph.value(wide).type, DataType::kFloat32);
  EXPECT_EQ(graph.value(wide).constant->type, DataType::kFloat16);
  EXPECT_EQ(graph.value(wide).constant->bytes.data(), graph.value(half).constant->bytes.data()) << "not copied";
  EXPECT_EQ(graph.floats(wide), (std::vector<float>{1.5f, -2}));
}

TEST(Fold, DequantizedIntegersBecomeFloats) {
  Graph graph;
  const auto storage = std::make_shared<std::vector<int8_t>>(std::vector<int8_t>{-1, 3});
  const ValueId bytes = add_value(graph, "bytes", {2});
  graph.value(bytes).type = DataType::kInt8;
  graph.value(bytes).quantization = {{0.5f}, {1}, 0};
  graph.value(bytes).constant = Constant{DataType::kInt8, std::as_bytes(std::span(*storage)), storage};
  const ValueId wide = add_op(graph, OpType::kDequantize, {}, {bytes}, "wide");
  const ValueId in = add_input(graph, "in", {2});
  graph.outputs = {add_op(graph, OpType::kMul, {}, {in, wide}, "out")};
  ASSERT_TRUE(folds(graph));
  EXPECT_EQ(graph.value(wide).constant->type, DataType::kFloat32);
  EXPECT_EQ(graph.floats(wide), (std::vector<float>{-1, 1}));
}

TEST(Fold, LeavesNodesThatDependOnInputs) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {2});
  const ValueId a = graph.add_constant("a", {2}, std::vector<float>{1, 2});
  graph.outputs = {add_op(graph, OpType::kAdd, {}, {in, a}, "out")};
  EXPECT_FALSE(folds(graph));
}

TEST(Fold, LeavesOutputsOfTheGraph) {
  Graph graph;
  const ValueId a = graph.add_constant("a", {2}, std::vector<float>{1, 2});
  graph.outputs = {add_op(graph, OpType::kAdd, {}, {a, a}, "out")};
  EXPECT_FALSE(folds(graph));
}

TEST(Fold, LeavesExpensiveNodes) {
  // A maximum over windows of 400 x 400 at 401 x 401 positions: 2.6e10 steps.
  Graph graph;
  const ValueId a = graph.add_constant("a", {1, 800, 800, 1}, std::vector<float>(640000));
  const Pool2dAttr attr{{PaddingMode::kValid}, 1, 1, 400, 400};
  const ValueId pooled = add_op(graph, OpType::kMaxPool2d, attr, {a}, "pooled");
  const ValueId in = add_input(graph, "in", {1, 401, 401, 1});
  graph.outputs = {add_op(graph, OpType::kAdd, {}, {in, pooled}, "out")};
  EXPECT_GE(folding_steps(graph, graph.node(0)), int64_t{401} * 401 * 400 * 400);
  EXPECT_FALSE(folds(graph));
}

ValueId add_weights(Graph& graph, const Shape& shape) {
  return graph.add_constant("w" + std::to_string(graph.value_count()), shape,
                            std::vector<float>(static_cast<size_t>(shape.elements()), 1.0f));
}

TEST(MultiplyAdds, Convolutions) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {2, 8, 6, 3});
  Conv2dAttr conv;
  conv.padding.mode = PaddingMode::kSame;
  conv.stride_h = conv.stride_w = 2;
  const ValueId a = add_op(graph, OpType::kConv2d, conv, {in, add_weights(graph, {5, 3, 3, 3}), kNone}, "a");
  EXPECT_EQ(multiply_adds(graph), 2 * 4 * 3 * 5 * 27);
  DepthwiseConv2dAttr depthwise;
  depthwise.padding.mode = PaddingMode::kValid;
  const ValueId b =
      add_op(graph, OpType::kDepthwiseConv2d, depthwise, {a, add_weights(graph, {1, 3, 2, 5}), kNone}, "b");
  EXPECT_EQ(multiply_adds(graph, graph.node(graph.value(b).producer)), 2 * 2 * 2 * 5 * 6);
  TransposeConvAttr transposed;
  transposed.padding.mode = PaddingMode::kSame;
  transposed.stride_h = transposed.stride_w = 2;
  transposed.out_h = transposed.out_w = 4;
  const ValueId c =
      add_op(graph, OpType::kTransposeConv, transposed, {b, add_weights(graph, {7, 2, 2, 5}), kNone}, "c");
  EXPECT_EQ(multiply_adds(graph, graph.node(graph.value(c).producer)), 2 * 2 * 2 * 5 * 7 * 4);
}

TEST(MultiplyAdds, OfTwoConvolutionsInOne) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {2, 4, 5, 6});
  DepthwisePointwiseAttr attr;
  attr.depthwise.padding.mode = PaddingMode::kValid;
  add_op(graph, OpType::kDepthwisePointwise, attr,
         {in, add_weights(graph, {7, 1, 1, 6}), kNone, kNone, kNone, kNone, kNone, add_weights(graph, {1, 3, 3, 6})},
         "a");
  EXPECT_EQ(multiply_adds(graph), 2 * 2 * 3 * (6 * 9 + 6 * 7));
}

TEST(MultiplyAdds, FullyConnectedAndOperatorsWithoutWeights) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {4, 10});
  const ValueId a =
      add_op(graph, OpType::kFullyConnected, FullyConnectedAttr{}, {in, add_weights(graph, {3, 10}), kNone}, "a");
  add_op(graph, OpType::kRelu, {}, {a}, "b");
  EXPECT_EQ(multiply_adds(graph), 4 * 3 * 10);
}

}  // namespace
}  // namespace sightglass::test

// Breaks each invariant on purpose: verify() must detect and name the fault.
#include <gtest/gtest.h>

#include <functional>

#include "graph_case.h"

namespace sightglass::test {
namespace {

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
  expect_violation("the state tensor 'in' is computed, a constant, an input, or a state twice", [](Chain& c) {
    c.graph.states = {{c.in, c.in, {}}};
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

}  // namespace
}  // namespace sightglass::test

#include <gtest/gtest.h>

#include "graph_case.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

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

}  // namespace
}  // namespace sightglass::test

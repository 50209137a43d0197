#include <gtest/gtest.h>

#include <vector>

#include "graph/analyses.h"
#include "graph_case.h"

namespace sightglass::test {
namespace {

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
         {in, add_weights(graph, {7, 1, 1, 6}), kNone, kNone, kNone, add_weights(graph, {1, 3, 3, 6})}, "a");
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

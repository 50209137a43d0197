// TOPK_V2 on values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/graph.h"
#include "ref/ref_ops.h"
#include "single_op.h"

namespace sightglass::test {
namespace {

Result<std::vector<HostTensor>> top_k(const HostTensor& in, int32_t k) {
  Graph graph;
  Node node;
  node.op = OpType::kTopK;
  node.attributes = TopKAttr{k};
  const auto add = [&graph](DataType type, const Shape& shape) {
    Value value;
    value.type = type;
    value.shape = shape;
    return graph.add_value(std::move(value));
  };
  Shape picked = in.shape;
  picked.set_dim(picked.rank() - 1, k);
  node.inputs = {add(in.type, in.shape)};
  node.outputs = {add(in.type, picked), add(DataType::kInt32, picked)};
  return ref::evaluate(graph, node, {&in});
}

void expect_top(const HostTensor& in, const Shape& shape, const std::vector<float>& elements,
                const std::vector<int64_t>& places) {
  const auto picked = top_k(in, shape.dim(shape.rank() - 1));
  ASSERT_TRUE(picked.ok()) << picked.status().message();
  expect_floats((*picked)[0], shape, elements);
  expect_integers((*picked)[1], DataType::kInt32, shape, places);
}

TEST(RefTopK, LargestFirstInEveryRow) {
  expect_top(floats({2, 4}, {1, 4, -2, 3, 0, -1, -5, -3}), {2, 2}, {4, 3, 0, -1}, {1, 3, 0, 1});
}

TEST(RefTopK, EqualValuesAreInIndexOrder) { expect_top(floats({5}, {2, 7, 2, 7, 2}), {4}, {7, 7, 2, 2}, {1, 3, 0, 2}); }

TEST(RefTopK, NanComesLast) { expect_top(floats({3}, {NAN, -1, 5}), {3}, {5, -1, NAN}, {2, 1, 0}); }

TEST(RefTopK, BytesAreComparedUnchanged) {
  const HostTensor in = numbers<uint8_t>(DataType::kUInt8, {3}, {3, 200, 100});
  const auto picked = top_k(in, 2);
  ASSERT_TRUE(picked.ok()) << picked.status().message();
  expect_integers((*picked)[1], DataType::kInt32, {2}, {1, 2});
}

TEST(RefTopK, AskingForTooManyIsAnError) {
  const auto picked = top_k(floats({3}, {1, 2, 3}), 4);
  ASSERT_FALSE(picked.ok());
  EXPECT_NE(picked.status().message().find("no 4 elements"), std::string::npos) << picked.status().message();
}

}  // namespace
}  // namespace sightglass::test

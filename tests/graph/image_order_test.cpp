// Images in other orders than 1 x height x width x channels: what the operators prove, and how they are arranged.
#include <gtest/gtest.h>

#include <numeric>

#include "graph/analyses.h"
#include "graph_case.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

// A 1×1 convolution of an image of 5 x 6 pixels with 3 channels.
struct Image {
  Graph graph;
  ValueId in, out;
};
Image convolved(int32_t channels) {
  Image image;
  image.in = add_input(image.graph, "in", {1, 5, 6, 3});
  std::vector<float> weights(static_cast<size_t>(3 * channels));
  std::iota(weights.begin(), weights.end(), 1.0F);
  const ValueId constant = image.graph.add_constant("weights", {channels, 1, 1, 3}, weights);
  image.out = add_op(image.graph, OpType::kConv2d, Conv2dAttr(), {image.in, constant, kNone}, "convolved");
  return image;
}

ValueId reshape(Graph& graph, ValueId in, const Shape& shape) {
  return add_op(graph, OpType::kReshape, ReshapeAttr{shape}, {in}, "reshaped");
}
ValueId transpose(Graph& graph, ValueId in, std::vector<int32_t> permutation) {
  return add_op(graph, OpType::kTranspose, TransposeAttr{std::move(permutation)}, {in}, "transposed");
}

HostTensor ramp(const Shape& shape) {
  std::vector<float> numbers(static_cast<size_t>(shape.elements()));
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  return HostTensor::from_floats(shape, numbers);
}

std::vector<float> run(const Graph& graph, const HostTensor& input) {
  const auto results = value_of(ref::run(graph, {input}));
  const auto numbers = results.front().as<float>();
  return {numbers.begin(), numbers.end()};
}

// The output `moved`, made from `image.out`, becomes `image.out` again.
void expect_arranged(Image& image, ValueId moved, const Shape& shape) {
  image.graph.outputs = {image.out};
  const std::vector<float> expected = run(image.graph, ramp({1, 5, 6, 3}));
  image.graph.outputs = {moved};
  const Shape before = image.graph.value(moved).shape;
  arrange_images(image.graph, ImageOrder::kAsInFile);
  EXPECT_EQ(image.graph.value(image.graph.outputs[0]).shape, before);
  arrange_images(image.graph, ImageOrder::kArranged);
  EXPECT_TRUE(verify(image.graph).ok()) << verify(image.graph).message();
  EXPECT_EQ(image.graph.value(image.graph.outputs[0]).shape.to_string(), shape.to_string());
  EXPECT_EQ(run(image.graph, ramp({1, 5, 6, 3})), expected);
}

TEST(ImageOrder, ChannelsFirst) {
  for (const int32_t channels : {1, 2, 5}) {
    Image image = convolved(channels);
    expect_arranged(image, transpose(image.graph, image.out, {0, 3, 1, 2}), {1, 5, 6, channels});
    image = convolved(channels);
    const ValueId first = transpose(image.graph, image.out, {0, 3, 1, 2});
    expect_arranged(image, reshape(image.graph, first, {channels, 5, 6}), {1, 5, 6, channels});
  }
}

TEST(ImageOrder, WithoutBatchOrChannels) {
  Image image = convolved(1);
  expect_arranged(image, reshape(image.graph, image.out, {1, 5, 6}), {1, 5, 6, 1});
  image = convolved(1);
  expect_arranged(image, reshape(image.graph, image.out, {5, 6}), {1, 5, 6, 1});
  image = convolved(2);
  expect_arranged(image, reshape(image.graph, image.out, {5, 6, 2}), {1, 5, 6, 2});
  image = convolved(2);
  expect_arranged(image, transpose(image.graph, image.out, {0, 2, 1, 3}), {1, 5, 6, 2});
}

TEST(ImageOrder, MergedPixels) {
  Image image = convolved(1);
  expect_arranged(image, reshape(image.graph, image.out, {1, 30}), {1, 5, 6, 1});
  image = convolved(2);
  expect_arranged(image, reshape(image.graph, image.out, {1, 30, 2}), {1, 5, 6, 2});
  // Another output is an image: the list is something else, such as the scores of boxes.
  image = convolved(2);
  const ValueId list = reshape(image.graph, image.out, {1, 30, 2});
  image.graph.outputs = {list, image.out};
  arrange_images(image.graph, ImageOrder::kArranged);
  EXPECT_EQ(image.graph.outputs[0], list);
}

// Pieces of rows and columns are no image.
TEST(ImageOrder, WhatIsNotProvedStays) {
  Image image = convolved(1);
  for (const Shape& shape : {Shape{1, 10, 3}, Shape{1, 3, 10, 1}, Shape{1, 2, 15, 1}}) {
    const ValueId list = reshape(image.graph, image.out, shape);
    image.graph.outputs = {list};
    arrange_images(image.graph, ImageOrder::kArranged);
    EXPECT_EQ(image.graph.outputs[0], list) << shape.to_string();
  }
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, 2, 5, 6});
  graph.outputs = {add_op(graph, OpType::kTanh, {}, {in}, "out")};
  arrange_images(graph, ImageOrder::kArranged);
  EXPECT_EQ(graph.value(graph.outputs[0]).shape, Shape({1, 2, 5, 6}));
  EXPECT_EQ(graph.inputs[0], in);
}

// An input whose order a later convolution defines, and one whose shape decides.
TEST(ImageOrder, Inputs) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, 3, 4, 6});
  const ValueId last = transpose(graph, in, {0, 2, 3, 1});
  const ValueId weights = graph.add_constant("weights", {1, 1, 1, 3}, std::vector<float>{1, 2, 4});
  graph.outputs = {add_op(graph, OpType::kConv2d, Conv2dAttr(), {last, weights, kNone}, "out")};
  arrange_images(graph, ImageOrder::kArrangedInputs);
  ASSERT_TRUE(verify(graph).ok()) << verify(graph).message();
  ASSERT_EQ(graph.value(graph.inputs[0]).shape, Shape({1, 4, 6, 3}));
  EXPECT_EQ(graph.value(graph.inputs[0]).name, "in");
  const std::vector<float> sums = run(graph, ramp({1, 4, 6, 3}));
  ASSERT_EQ(sums.size(), 24u);
  EXPECT_EQ(sums[0], 0 + 2 * 1 + 4 * 2);
  EXPECT_EQ(sums[1], 3 + 2 * 4 + 4 * 5);

  Graph means;
  const ValueId first = add_input(means, "in", {1, 3, 4, 6});
  means.outputs = {add_op(means, OpType::kMean, ReduceAttr{{2, 3}, false}, {first}, "out")};
  arrange_images(means, ImageOrder::kArrangedInputs);
  EXPECT_EQ(means.value(means.inputs[0]).shape, Shape({1, 4, 6, 3}));
  EXPECT_EQ(run(means, ramp({1, 4, 6, 3})), (std::vector<float>{34.5F, 35.5F, 36.5F}));
}

// An output that only moves the input.
TEST(ImageOrder, OutputsOfColorInputs) {
  Graph graph;
  const ValueId in = add_input(graph, "in", {1, 5, 6, 3});
  graph.outputs = {transpose(graph, in, {0, 3, 1, 2})};
  arrange_images(graph, ImageOrder::kArranged);
  EXPECT_EQ(graph.value(graph.outputs[0]).shape, Shape({1, 5, 6, 3}));
  EXPECT_EQ(graph.inputs[0], in);
}

TEST(Axes, OperatorsMoveThem) {
  Image image = convolved(2);
  const ValueId merged = reshape(image.graph, image.out, {1, 30, 2});
  const std::vector<ValueAxes> axes = axes_of_values(image.graph);
  EXPECT_EQ(axes[static_cast<size_t>(image.in)],
            (ValueAxes{{}, {{Axis::kRows, 5}}, {{Axis::kColumns, 6}}, {{Axis::kChannels, 3}}}));
  EXPECT_EQ(axes[static_cast<size_t>(merged)],
            (ValueAxes{{}, {{Axis::kRows, 5}, {Axis::kColumns, 6}}, {{Axis::kChannels, 2}}}));
}

}  // namespace
}  // namespace sightglass::test

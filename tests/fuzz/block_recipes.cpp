// Common groups of operators that rewrites transform.
#include "fuzz/graph_generator.h"

namespace sightglass::test {

namespace {

// Usually only for the next operator of a block: rewrites decline values with other readers.
ValueId between(GraphGenerator& g, ValueId id) {
  if (g.chance(85)) g.withdraw(id);
  return id;
}

ValueId pointwise(GraphGenerator& g, ValueId data, int32_t channels, Activation activation = Activation::kNone) {
  CaseBuilder& builder = g.builder();
  std::vector<ValueId> inputs{data, builder.constant({channels, 1, 1, g.shape(data).dim(3)})};
  if (g.chance(70)) inputs.push_back(builder.constant({channels}));
  return g.add(OpType::kConv2d, Conv2dAttr{}, inputs, false, activation);
}

ValueId pooled(GraphGenerator& g, ValueId data) {
  return between(g, g.add(OpType::kMean, ReduceAttr{{1, 2}, true}, {data}, false));
}

// x + f(x), as in residual networks.
void residual(GraphGenerator& g, OpType) {
  const ValueId data = g.floats(4);
  const ValueId made = between(g, pointwise(g, data, g.shape(data).dim(3)));
  g.add(OpType::kAdd, {}, g.chance(50) ? std::vector{data, made} : std::vector{made, data}, false, g.clamp());
}

// A depthwise and a pointwise convolution, possibly with a residual, as in MobileNet and BlazeFace.
void separable(GraphGenerator& g, OpType) {
  const ValueId data = g.floats(4);
  const int32_t in = g.shape(data).dim(3), out = g.chance(50) ? in : g.random.pick(1, 20);
  DepthwiseConv2dAttr attr;
  attr.padding.mode = PaddingMode::kSame;
  attr.stride_h = attr.stride_w = out == in ? 1 : g.random.pick(1, 2);
  CaseBuilder& builder = g.builder();
  const ValueId filtered = g.add(OpType::kDepthwiseConv2d, attr,
                                 {data, builder.constant({1, 3, 3, in}), builder.constant({in})}, false, g.clamp());
  const bool adds = attr.stride_h == 1 && out == in;
  const ValueId made = pointwise(g, between(g, filtered), out);
  if (adds) g.add(OpType::kAdd, {}, {between(g, made), data}, false, g.clamp());
}

// Squeeze and excite: channels are weighted by a function of their averages.
void gated(GraphGenerator& g, OpType) {
  const ValueId data = g.floats(4);
  const ValueId gate = between(g, pointwise(g, pooled(g, data), g.shape(data).dim(3), Activation::kLogistic));
  const ValueId product = between(g, g.add(OpType::kMul, {}, {data, gate}, false));
  pointwise(g, product, g.random.pick(1, 9), g.clamp());
}

// The average is broadcast over the image and concatenated with it, as in DeepLab.
void context(GraphGenerator& g, OpType) {
  const ValueId data = g.floats(4);
  const int32_t height = g.shape(data).dim(1), width = g.shape(data).dim(2);
  const ValueId spread =
      between(g, g.add(OpType::kResizeBilinear, ResizeAttr{height, width}, {pooled(g, data)}, false));
  std::vector<ValueId> parts{data, spread};
  if (g.chance(50)) std::swap(parts[0], parts[1]);
  const ValueId joined = between(g, g.add(OpType::kConcat, ConcatAttr{3}, parts, false));
  pointwise(g, joined, g.random.pick(1, 9), g.clamp());
}

// A step of a decoder.
void enlarged(GraphGenerator& g, OpType) {
  const ValueId data = g.floats(4);
  const Shape in = g.shape(data);
  const ResizeAttr attr{in.dim(1) * 2, in.dim(2) * 2, g.chance(30), false};
  const ValueId large = between(g, g.add(OpType::kResizeBilinear, attr, {data}, false));
  pointwise(g, large, g.random.pick(1, in.dim(3) + 1), g.clamp());
}

constexpr Recipe kBlockRecipes[] = {{OpType::kAdd, residual},
                                    {OpType::kConv2d, separable},
                                    {OpType::kMul, gated},
                                    {OpType::kConcat, context},
                                    {OpType::kResizeBilinear, enlarged}};

}  // namespace

std::span<const Recipe> block_recipes() { return kBlockRecipes; }

}  // namespace sightglass::test

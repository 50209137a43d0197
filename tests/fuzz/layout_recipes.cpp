// Operators that move elements, join tensors, and sum along axes; matrix products; common groups of operators that
// rewrites transform.
#include <algorithm>

#include "fuzz/graph_generator.h"
#include "graph/op_types.h"
#include "graph/quantized.h"

namespace sightglass::test {

namespace {

void mean(GraphGenerator& g, OpType op) {
  const ValueId data = g.real(g.random.of({3, 4, 4, 4}));
  const int rank = g.shape(data).rank();
  const std::vector<int32_t> axes{rank - 3, rank - 2};
  std::optional<Quantized> result;
  if (!g.is_float(data) && g.chance(50)) result = g.random_quantization(g.value(data).type);
  g.add(op, ReduceAttr{axes, g.chance(50)}, {data}, !g.is_float(data), Activation::kNone, result ? &*result : nullptr);
}

void concat(GraphGenerator& g, OpType op) {
  const ValueId first = g.any(g.random.pick(1, 4));
  const Shape shape = g.shape(first);
  const ConcatAttr attr{g.random.pick(0, shape.rank() - 1)};
  std::vector<ValueId> inputs{first};
  bool alike = true;
  for (int i = g.random.pick(1, 3); i > 0; --i) {
    Shape next = shape;
    next.set_dim(attr.axis, g.random.pick(1, 9));
    const ValueId value = g.beside(first, next);
    alike = alike && g.value(value).quantization.scale == g.value(first).quantization.scale &&
            zero_point(g.value(value)) == zero_point(g.value(first));
    inputs.push_back(value);
  }
  g.add(op, attr, inputs, alike || g.is_float(first));
}

void pad(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(g.random.pick(1, 4));
  PadAttr attr;
  for (size_t d = 0; d < static_cast<size_t>(g.shape(data).rank()); ++d) {
    attr.before[d] = g.chance(50) ? 0 : g.random.pick(0, 3);
    attr.after[d] = g.chance(50) ? 0 : g.random.pick(0, 3);
  }
  g.add(op, attr, {data}, true);
}

// The dimensions grouped differently: merged, split, or reversed.
void reshape(GraphGenerator& g, OpType op) {
  const ValueId data = g.any();
  const Shape shape = g.shape(data);
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  for (int step = g.random.pick(1, 3); step > 0; --step) {
    if (dims.size() >= 2 && g.chance(50)) {
      const auto at = static_cast<size_t>(g.random.pick(0, static_cast<int>(dims.size()) - 2));
      dims[at] *= dims[at + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    } else if (dims.size() < 5) {
      const auto at = static_cast<std::ptrdiff_t>(g.random.pick(0, static_cast<int>(dims.size())));
      int32_t factor = 1;
      if (static_cast<size_t>(at) < dims.size()) {
        int32_t& d = dims[static_cast<size_t>(at)];
        for (const int32_t candidate : {2, 3, 5}) {
          if (d % candidate == 0 && g.chance(60)) factor = candidate;
        }
        d /= factor;
      }
      dims.insert(dims.begin() + at, factor);
    }
  }
  if (g.chance(20)) std::ranges::reverse(dims);
  g.add(op, ReshapeAttr{Shape(dims)}, {data}, true);
}

void strided_slice(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(g.random.pick(1, 4));
  const Shape shape = g.shape(data);
  StridedSliceAttr attr;
  std::vector<int32_t> kept;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int32_t n = shape.dim(d);
    const int32_t stride = g.chance(60) ? 1 : g.random.of({2, 3, -1, -2});
    const int32_t begin = g.chance(40) ? (stride > 0 ? 0 : n - 1) : g.random.pick(0, n - 1);
    const int32_t reach = stride > 0 ? (n - 1 - begin) / stride : begin / -stride;
    attr.begin[i] = begin;
    attr.stride[i] = stride;
    attr.size[i] = 1 + (g.chance(50) ? reach : g.random.pick(0, reach));
    if (attr.size[i] != 1 || g.chance(70)) kept.push_back(attr.size[i]);
  }
  attr.shape = Shape(kept);
  g.add(op, attr, {data}, true);
}

constexpr Recipe kLayoutRecipes[] = {
    {OpType::kMean, mean},
    {OpType::kConcat, concat},
    {OpType::kPad, pad},
    {OpType::kReshape, reshape},
    {OpType::kStridedSlice, strided_slice},
};

}  // namespace

std::span<const Recipe> layout_recipes() { return kLayoutRecipes; }

namespace {

void transpose(GraphGenerator& g, OpType op) {
  const ValueId data = g.any();
  TransposeAttr attr;
  for (int d = 0; d < g.shape(data).rank(); ++d) {
    attr.permutation.insert(attr.permutation.begin() + g.random.pick(0, d), d);
  }
  g.add(op, attr, {data}, true);
}

void split(GraphGenerator& g, OpType op) {
  const ValueId data = g.floats(g.random.pick(1, 4));
  SplitAttr attr;
  attr.axis = g.random.pick(0, g.shape(data).rank() - 1);
  int32_t left = g.shape(data).dim(attr.axis);
  attr.drop_axis = left <= 5 && g.chance(50);
  while (left > 0) {
    const int32_t size = attr.drop_axis ? 1 : attr.sizes.size() == 3 ? left : g.random.pick(1, left);
    attr.sizes.push_back(size);
    left -= size;
  }
  const size_t parts = attr.sizes.size();
  g.add_outputs(op, attr, {data}, parts);
}

void pack(GraphGenerator& g, OpType op) {
  const ValueId first = g.floats(g.random.pick(0, 3));
  const Shape shape = g.shape(first);
  std::vector<ValueId> inputs{first};
  for (int more = g.random.pick(0, 4); more > 0; --more) inputs.push_back(g.beside(first, shape));
  g.add(op, ConcatAttr{g.random.pick(0, shape.rank())}, inputs, true);
}

void tile(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(g.random.pick(1, 4));
  TileAttr attr;
  for (int d = 0; d < g.shape(data).rank(); ++d) attr.multiples.push_back(g.chance(60) ? 1 : g.random.pick(2, 3));
  g.add(op, attr, {data}, true);
}

void mirror_pad(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(g.random.pick(1, 4));
  MirrorPadAttr attr;
  attr.symmetric = g.chance(50);
  for (int d = 0; d < g.shape(data).rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int32_t most = std::min(3, g.shape(data).dim(d) - (attr.symmetric ? 0 : 1));
    attr.before[i] = g.random.pick(0, most);
    attr.after[i] = g.random.pick(0, most);
  }
  g.add(op, attr, {data}, true);
}

void space_to_depth(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(4);
  const Shape shape = g.shape(data);
  int32_t block = 1;
  for (const int32_t b : {2, 3}) {
    if (shape.dim(1) % b == 0 && shape.dim(2) % b == 0) block = b;
  }
  g.add(op, BlockSizeAttr{block}, {data}, true);
}

// The padding makes the image size a multiple of the block size.
BatchSpaceAttr blocks(GraphGenerator& g, const Shape& shape) {
  BatchSpaceAttr attr;
  for (const int d : {1, 2}) {
    const int32_t block = g.random.pick(1, 3), before = g.random.pick(0, 2);
    const int32_t size = shape.dim(d) + before;
    attr.block.push_back(block);
    attr.before.push_back(before);
    attr.after.push_back((block - size % block) % block);
  }
  return attr;
}

void space_to_batch(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(4);
  g.add(op, blocks(g, g.shape(data)), {data}, true);
}

// After the inverse operator, which creates the batches.
void batch_to_space(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(4);
  const BatchSpaceAttr attr = blocks(g, g.shape(data));
  g.add(op, attr, {g.add(OpType::kSpaceToBatch, attr, {data}, true)}, true);
}

void resize_nearest(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(4);
  ResizeAttr attr;
  attr.out_h = g.random.pick(1, 14);
  attr.out_w = g.random.pick(1, 14);
  attr.align_corners = g.chance(30);
  attr.half_pixel_centers = !attr.align_corners && g.chance(50);
  g.add(op, attr, {data}, true);
}

void batch_matmul(GraphGenerator& g, OpType op) {
  const ValueId data = g.floats(g.random.pick(2, 4));
  const Shape shape = g.shape(data);
  const int rank = shape.rank();
  BatchMatmulAttr attr{g.chance(40), g.chance(40)};
  Shape other = shape;
  const int32_t depth = shape.dim(attr.adj_x ? rank - 2 : rank - 1);
  other.set_dim(attr.adj_y ? rank - 1 : rank - 2, depth);
  other.set_dim(attr.adj_y ? rank - 2 : rank - 1, g.random.pick(1, 9));
  g.add(op, attr, {data, g.beside(data, other)}, false);
}

constexpr Recipe kMovementRecipes[] = {
    {OpType::kTranspose, transpose},
    {OpType::kSplit, split},
    {OpType::kPack, pack},
    {OpType::kTile, tile},
    {OpType::kMirrorPad, mirror_pad},
    {OpType::kSpaceToDepth, space_to_depth},
    {OpType::kSpaceToBatch, space_to_batch},
    {OpType::kBatchToSpace, batch_to_space},
    {OpType::kResizeNearest, resize_nearest},
    {OpType::kBatchMatmul, batch_matmul},
};

}  // namespace

std::span<const Recipe> movement_recipes() { return kMovementRecipes; }

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

// Operators that move elements, and matrix products.
#include <algorithm>

#include "fuzz/graph_generator.h"

namespace sightglass::test {

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

}  // namespace sightglass::test

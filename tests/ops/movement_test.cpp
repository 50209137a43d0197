// Operators that copy elements unchanged: exact in every storage type that can represent them.
#include <algorithm>
#include <numeric>

#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using MovementTest = OpTest;

TEST_F(MovementTest, TransposeOfAnyRank) {
  uint64_t seed = 1;
  for (const Shape& shape : {Shape{7}, Shape{5, 6}, Shape{3, 5, 13}, Shape{2, 3, 5, 13}, Shape{2, 3, 2, 3, 5}}) {
    std::vector<int32_t> permutation(static_cast<size_t>(shape.rank()));
    std::iota(permutation.begin(), permutation.end(), 0);
    do {
      CaseBuilder builder(seed++);
      builder.node(OpType::kTranspose, TransposeAttr{permutation}, {builder.input(shape)});
      check(builder.build("TRANSPOSE of " + shape.to_string()), false, kExact);
      // For five dimensions, every seventh permutation is sufficient.
      for (int skip = 0; shape.rank() == 5 && skip < 6; ++skip) {
        if (!std::ranges::next_permutation(permutation).found) break;
      }
    } while (std::ranges::next_permutation(permutation).found);
  }
}

TEST_F(MovementTest, OfOtherTypes) {
  uint64_t seed = 100;
  for (const DataType type : {DataType::kInt32, DataType::kInt64, DataType::kBool, DataType::kUInt8}) {
    CaseBuilder transpose(seed++), tile(seed++), gather(seed++), pack(seed++), nearest(seed++);
    const Shape shape{2, 3, 5, 6};
    transpose.node(OpType::kTranspose, TransposeAttr{{0, 3, 1, 2}}, {transpose.input(shape, Fill::kRamp, type)});
    check(transpose.build("TRANSPOSE of integers"), false, kExact);
    tile.node(OpType::kTile, TileAttr{{1, 2, 1, 3}}, {tile.input(shape, Fill::kRamp, type)});
    check(tile.build("TILE of integers"), false, kExact);
    gather.node(OpType::kGather, GatherAttr{1, 0},
                {gather.input(shape, Fill::kRamp, type), gather.input({4}, Fill::kWide, DataType::kInt32)});
    check(gather.build("GATHER of integers"), false, kExact);
    pack.node(OpType::kPack, ConcatAttr{3},
              {pack.input({2, 3, 5}, Fill::kRamp, type), pack.input({2, 3, 5}, Fill::kRamp, type)});
    check(pack.build("PACK of integers"), false, kExact);
    nearest.node(OpType::kResizeNearest, ResizeAttr{6, 4}, {nearest.input(shape, Fill::kRamp, type)});
    check(nearest.build("RESIZE_NEAREST_NEIGHBOR of integers"), false, kExact);
  }
}

TEST_F(MovementTest, Quantized) {
  const Quantized q{DataType::kInt8, {0.05f}, 3};
  CaseBuilder transpose(150), batches(151);
  transpose.node(OpType::kTranspose, TransposeAttr{{0, 3, 1, 2}}, {transpose.input({2, 3, 5, 6}, q)}, q);
  check(transpose.build("TRANSPOSE of quanta"), false, kExact);
  batches.node(OpType::kSpaceToBatch, BatchSpaceAttr{{2, 2}, {1, 0}, {0, 1}}, {batches.input({1, 5, 3, 5}, q)}, q);
  check(batches.build("SPACE_TO_BATCH_ND of quanta"), false, kExact);
}

TEST_F(MovementTest, Split) {
  uint64_t seed = 200;
  for (const Shape& shape : {Shape{2, 4, 6, 12}, Shape{6, 9}, Shape{4}, Shape{2, 2, 3, 4, 6}}) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int dim = shape.dim(axis);
      CaseBuilder apart(seed++), unequal(seed++);
      const std::vector<int32_t> ones(static_cast<size_t>(dim), 1);
      apart.node_with(OpType::kSplit, SplitAttr{axis, ones, true}, {apart.input(shape)}, ones.size());
      check(apart.build("UNPACK of " + shape.to_string() + " along " + std::to_string(axis)), false, kExact);
      unequal.node_with(OpType::kSplit, SplitAttr{axis, {1, dim - 1}, false}, {unequal.input(shape)}, 2);
      check(unequal.build("SPLIT_V of " + shape.to_string() + " along " + std::to_string(axis)), false, kExact);
    }
  }
}

TEST_F(MovementTest, Pack) {
  uint64_t seed = 300;
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 5}, Shape{2, 3, 5}, Shape{2, 3, 5, 6}}) {
    for (int axis = 0; axis <= shape.rank(); ++axis) {
      CaseBuilder builder(seed++);
      builder.node(OpType::kPack, ConcatAttr{axis},
                   {builder.input(shape), builder.constant(shape), builder.input(shape)});
      check(builder.build("PACK of " + shape.to_string() + " along " + std::to_string(axis)), false, kExact);
    }
  }
}

TEST_F(MovementTest, ConcatPadAndSliceOfRankFive) {
  uint64_t seed = 400;
  const Shape shape{2, 3, 4, 3, 5};
  for (int axis = 0; axis < 5; ++axis) {
    Shape longer = shape;
    longer.set_dim(axis, shape.dim(axis) + 1);
    CaseBuilder concat(seed++), pad(seed++), slice(seed++);
    concat.node(OpType::kConcat, ConcatAttr{axis}, {concat.input(shape), concat.input(longer)});
    check(concat.build("CONCATENATION of rank 5 along " + std::to_string(axis)), false, kExact);
    PadAttr padding;
    padding.before[static_cast<size_t>(axis)] = 1;
    padding.after[0] = 2;
    padding.value = -1.5f;
    pad.node(OpType::kPad, padding, {pad.input(shape)});
    check(pad.build("PAD of rank 5"), false, kExact);
    StridedSliceAttr back;
    for (size_t d = 0; d < 5; ++d) {
      back.stride[d] = 1;
      back.size[d] = shape.dim(static_cast<int>(d));
    }
    back.stride[static_cast<size_t>(axis)] = -1;
    back.begin[static_cast<size_t>(axis)] = shape.dim(axis) - 1;
    back.shape = shape;
    slice.node(OpType::kStridedSlice, back, {slice.input(shape)});
    check(slice.build("REVERSE_V2 of rank 5"), false, kExact);
  }
}

TEST_F(MovementTest, TileAndMirrorPad) {
  uint64_t seed = 500;
  for (const int channels : {1, 3, 4, 5, 13, 16}) {
    const Shape shape{2, 3, 5, channels};
    CaseBuilder rows(seed++), all(seed++), reflect(seed++), symmetric(seed++);
    rows.node(OpType::kTile, TileAttr{{1, 2, 3, 1}}, {rows.input(shape)});
    check(rows.build("TILE of rows"), false, kExact);
    all.node(OpType::kTile, TileAttr{{2, 1, 2, 3}}, {all.input(shape)});
    check(all.build("TILE of channels"), false, kExact);
    reflect.node(OpType::kMirrorPad, MirrorPadAttr{{0, 2, 1, 0}, {0, 1, 4, 0}, false}, {reflect.input(shape)});
    check(reflect.build("MIRROR_PAD reflecting"), false, kExact);
    symmetric.node(OpType::kMirrorPad, MirrorPadAttr{{1, 3, 1, 1}, {0, 1, 5, 0}, true}, {symmetric.input(shape)});
    check(symmetric.build("MIRROR_PAD symmetric"), false, kExact);
  }
  CaseBuilder five(seed);
  five.node(OpType::kTile, TileAttr{{2, 1, 2, 3, 2}}, {five.input({2, 3, 2, 3, 5})});
  check(five.build("TILE of rank 5"), false, kExact);
}

TEST_F(MovementTest, Blocks) {
  uint64_t seed = 600;
  for (const int channels : {1, 3, 4, 5, 13}) {
    CaseBuilder depth(seed++), batch(seed++), space(seed++), row(seed++);
    depth.node(OpType::kSpaceToDepth, BlockSizeAttr{2}, {depth.input({2, 4, 6, channels})});
    check(depth.build("SPACE_TO_DEPTH of C" + std::to_string(channels)), false, kExact);
    const BatchSpaceAttr blocks{{2, 3}, {1, 0}, {0, 2}};
    batch.node(OpType::kSpaceToBatch, blocks, {batch.input({2, 5, 7, channels})});
    check(batch.build("SPACE_TO_BATCH_ND of C" + std::to_string(channels)), false, kExact);
    space.node(OpType::kBatchToSpace, blocks, {space.input({12, 3, 4, channels})});
    check(space.build("BATCH_TO_SPACE_ND of C" + std::to_string(channels)), false, kExact);
    row.node(OpType::kSpaceToBatch, BatchSpaceAttr{{2}, {1}, {2}}, {row.input({2, 5, channels})});
    check(row.build("SPACE_TO_BATCH_ND of three dimensions"), false, kExact);
  }
}

TEST_F(MovementTest, ResizeNearest) {
  uint64_t seed = 700;
  for (const auto& [align, half] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    for (const auto& [h, w] : {std::pair{10, 14}, {3, 4}, {1, 1}, {5, 7}, {23, 9}}) {
      CaseBuilder builder(seed++);
      builder.node(OpType::kResizeNearest, ResizeAttr{h, w, align, half}, {builder.input({2, 5, 7, 5})});
      check(builder.build("RESIZE_NEAREST_NEIGHBOR to " + std::to_string(h) + "x" + std::to_string(w)), false, kExact);
    }
  }
}

TEST_F(MovementTest, Gather) {
  uint64_t seed = 800;
  for (const Shape& data : {Shape{2, 3, 5, 13}, Shape{2, 3, 8}, Shape{6, 4}, Shape{9}, Shape{2, 3, 2, 2, 4}}) {
    for (int axis = 0; axis < data.rank(); ++axis) {
      for (const Shape& indices : {Shape{}, Shape{5}}) {
        CaseBuilder builder(seed++);
        if (data.rank() == 1 && indices.rank() == 0) continue;
        builder.node(OpType::kGather, GatherAttr{axis, 0},
                     {builder.input(data), builder.input(indices, Fill::kWide, DataType::kInt32)});
        check(builder.build("GATHER of " + data.to_string() + " along " + std::to_string(axis)), false, kExact);
      }
      if (axis == 0) continue;
      CaseBuilder builder(seed++);
      builder.node(OpType::kGather, GatherAttr{axis, 1},
                   {builder.input(data), builder.constant({data.dim(0), 3}, Fill::kWide, DataType::kInt32)});
      check(builder.build("GATHER of batches of " + data.to_string()), false, kExact);
    }
  }
}

TEST_F(MovementTest, GatherNd) {
  uint64_t seed = 900;
  for (int depth = 1; depth <= 4; ++depth) {
    CaseBuilder builder(seed++);
    builder.node(OpType::kGatherNd, {},
                 {builder.input({3, 4, 5, 6}), builder.input({2, 7, depth}, Fill::kWide, DataType::kInt32)});
    check(builder.build("GATHER_ND by " + std::to_string(depth)), false, kExact);
  }
}

}  // namespace
}  // namespace sightglass::test

// Operators that move or copy elements, on values that show their original positions.
#include <gtest/gtest.h>

#include "single_op.h"

namespace sightglass::test {
namespace {

template <typename T>
std::vector<T> values(const HostTensor& tensor) {
  const std::span<const T> span = tensor.as<T>();
  return {span.begin(), span.end()};
}

TEST(RefConcat, AlongEachAxis) {
  expect_floats(evaluate(OpType::kConcat, ConcatAttr{0}, {kSix, floats({1, 3}, {7, 8, 9})}), {3, 3},
                {1, 2, 3, 4, 5, 6, 7, 8, 9});
  expect_floats(evaluate(OpType::kConcat, ConcatAttr{1}, {floats({2, 1}, {7, 8}), kSix, floats({2, 1}, {9, 10})}),
                {2, 5}, {7, 1, 2, 3, 9, 8, 4, 5, 6, 10});
}

TEST(RefConcat, OfIntegers) {
  const HostTensor a = numbers<int64_t>(DataType::kInt64, {1}, {int64_t{1} << 40});
  const HostTensor b = numbers<int64_t>(DataType::kInt64, {2}, {-1, 2});
  const HostTensor joined = evaluate(OpType::kConcat, ConcatAttr{0}, {a, b});
  EXPECT_EQ(joined.type, DataType::kInt64);
  EXPECT_EQ(values<int64_t>(joined), (std::vector<int64_t>{int64_t{1} << 40, -1, 2}));
}

TEST(RefPad, AnyAxisWithAnyValue) {
  expect_floats(evaluate(OpType::kPad, PadAttr{{1, 0}, {0, 2}, 0.0f}, {kSix}), {3, 5},
                {0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0});
  expect_floats(evaluate(OpType::kPad, PadAttr{{0, 1}, {0, 0}, -1.5f}, {kSix}), {2, 4},
                {-1.5f, 1, 2, 3, -1.5f, 4, 5, 6});
  const HostTensor in = floats({1, 1, 1, 2}, {1, 2});
  expect_floats(evaluate(OpType::kPad, PadAttr{{0, 1, 0, 0}, {0, 0, 0, 1}, 0.0f}, {in}), {1, 2, 1, 3},
                {0, 0, 0, 1, 2, 0});
}

TEST(RefReshape, KeepsTheOrder) {
  expect_floats(evaluate(OpType::kReshape, ReshapeAttr{{3, 1, 2}}, {kSix}), {3, 1, 2}, {1, 2, 3, 4, 5, 6});
  const HostTensor bytes = numbers<int8_t>(DataType::kInt8, {4}, {1, -2, 3, -4});
  EXPECT_EQ(values<int8_t>(evaluate(OpType::kReshape, ReshapeAttr{{2, 2}}, {bytes})),
            (std::vector<int8_t>{1, -2, 3, -4}));
  EXPECT_EQ(refusal(OpType::kReshape, ReshapeAttr{{4}}, {kSix}).code(), ErrorCode::kInvalidModel);
}

TEST(RefStridedSlice, StartsAndSteps) {
  expect_floats(evaluate(OpType::kStridedSlice, StridedSliceAttr{{1, 0}, {1, 2}, {1, 2}, {1, 2}}, {kSix}), {1, 2},
                {4, 6});
}

TEST(RefStridedSlice, GoesBackwards) {
  expect_floats(evaluate(OpType::kStridedSlice, StridedSliceAttr{{1, 2}, {-1, -2}, {2, 2}, {2, 2}}, {kSix}), {2, 2},
                {6, 4, 3, 1});
}

TEST(RefStridedSlice, DropsAnAxis) {
  expect_floats(evaluate(OpType::kStridedSlice, StridedSliceAttr{{0, 1}, {1, 1}, {2, 1}, {2}}, {kSix}), {2}, {2, 5});
}

TEST(RefStridedSlice, RejectsSlicesOutside) {
  const Status status = refusal(OpType::kStridedSlice, StridedSliceAttr{{0, 2}, {1, 1}, {2, 2}, {2, 2}}, {kSix});
  EXPECT_EQ(status.code(), ErrorCode::kInvalidModel);
  EXPECT_NE(status.message().find("from 2 to 3 along axis 1"), std::string::npos) << status.message();
}

TEST(RefDepthToSpace, ChannelsAreRowsThenColumnsOfABlock) {
  const HostTensor in = floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_floats(evaluate(OpType::kDepthToSpace, BlockSizeAttr{2}, {in}), {1, 2, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8});
}

TEST(RefDepthToSpace, KeepsOutputChannelsTogether) {
  const HostTensor in = floats({1, 2, 1, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  expect_floats(evaluate(OpType::kDepthToSpace, BlockSizeAttr{2}, {in}), {1, 4, 2, 2},
                {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
}

HostTensor places(const std::vector<int32_t>& values, const Shape& shape) {
  return numbers<int32_t>(DataType::kInt32, shape, values);
}

TEST(RefTranspose, SwapsRowsAndColumns) {
  expect_floats(evaluate(OpType::kTranspose, TransposeAttr{{1, 0}}, {kSix}), {3, 2}, {1, 4, 2, 5, 3, 6});
  EXPECT_FALSE(refusal(OpType::kTranspose, TransposeAttr{{1, 1}}, {kSix}).ok());
  EXPECT_FALSE(refusal(OpType::kTranspose, TransposeAttr{{0}}, {kSix}).ok());
}

TEST(RefTile, RepeatsWhole) {
  expect_floats(evaluate(OpType::kTile, TileAttr{{1, 2}}, {kSix}), {2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  expect_floats(evaluate(OpType::kTile, TileAttr{{2, 1}}, {floats({1, 2}, {1, 2})}), {2, 2}, {1, 2, 1, 2});
}

TEST(RefPack, InsertsADimension) {
  const HostTensor a = floats({2}, {1, 2}), b = floats({2}, {3, 4});
  expect_floats(evaluate(OpType::kPack, ConcatAttr{0}, {a, b}), {2, 2}, {1, 2, 3, 4});
  expect_floats(evaluate(OpType::kPack, ConcatAttr{1}, {a, b}), {2, 2}, {1, 3, 2, 4});
  EXPECT_FALSE(refusal(OpType::kPack, ConcatAttr{0}, {a, kSix}).ok());
}

TEST(RefMirrorPad, WithAndWithoutTheBorder) {
  const HostTensor in = floats({3}, {1, 2, 3});
  expect_floats(evaluate(OpType::kMirrorPad, MirrorPadAttr{{2}, {1}, false}, {in}), {6}, {3, 2, 1, 2, 3, 2});
  expect_floats(evaluate(OpType::kMirrorPad, MirrorPadAttr{{2}, {3}, true}, {in}), {8}, {2, 1, 1, 2, 3, 3, 2, 1});
  EXPECT_FALSE(refusal(OpType::kMirrorPad, MirrorPadAttr{{3}, {0}, false}, {in}).ok());
}

TEST(RefSpaceToDepth, RowsThenColumnsOfABlock) {
  const HostTensor in = floats({1, 2, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8});
  expect_floats(evaluate(OpType::kSpaceToDepth, BlockSizeAttr{2}, {in}), {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
}

TEST(RefSpaceToBatch, PadsAndIsInverted) {
  const HostTensor in = floats({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const BatchSpaceAttr attr{{2, 2}, {0, 1}, {0, 0}};
  const HostTensor batches = evaluate(OpType::kSpaceToBatch, attr, {in});
  expect_floats(batches, {4, 1, 2, 1}, {0, 2, 1, 3, 0, 5, 4, 6});
  expect_floats(evaluate(OpType::kBatchToSpace, attr, {batches}), {1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
}

TEST(RefSpaceToBatch, OfThreeDimensions) {
  const HostTensor in = floats({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_floats(evaluate(OpType::kSpaceToBatch, BatchSpaceAttr{{2}, {0}, {0}}, {in}), {2, 2, 2},
                {1, 2, 5, 6, 3, 4, 7, 8});
}

TEST(RefResizeNearest, Conventions) {
  const HostTensor in = floats({1, 1, 2, 1}, {1, 2});
  expect_floats(evaluate(OpType::kResizeNearest, ResizeAttr{1, 4, false, false}, {in}), {1, 1, 4, 1}, {1, 1, 2, 2});
  expect_floats(evaluate(OpType::kResizeNearest, ResizeAttr{1, 3, true, false}, {in}), {1, 1, 3, 1}, {1, 2, 2});
  const HostTensor four = floats({1, 1, 4, 1}, {1, 2, 3, 4});
  expect_floats(evaluate(OpType::kResizeNearest, ResizeAttr{1, 2, false, true}, {four}), {1, 1, 2, 1}, {2, 4});
}

TEST(RefGather, AlongAxesAndBatches) {
  expect_floats(evaluate(OpType::kGather, GatherAttr{1, 0}, {kSix, places({2, 0}, {2})}), {2, 2}, {3, 1, 6, 4});
  expect_floats(evaluate(OpType::kGather, GatherAttr{0, 0}, {kSix, places({1}, {})}), {3}, {4, 5, 6});
  expect_floats(evaluate(OpType::kGather, GatherAttr{1, 1}, {kSix, places({2, 0, 1, 1}, {2, 2})}), {2, 2},
                {3, 1, 5, 5});
  expect_floats(evaluate(OpType::kGather, GatherAttr{0, 0}, {kSix, places({9, -4}, {2})}), {2, 3}, {4, 5, 6, 1, 2, 3});
  EXPECT_FALSE(refusal(OpType::kGather, GatherAttr{2, 0}, {kSix, places({0}, {1})}).ok());
}

TEST(RefGatherNd, ElementsAndRows) {
  expect_floats(evaluate(OpType::kGatherNd, {}, {kSix, places({1, 2, 0, 1}, {2, 2})}), {2}, {6, 2});
  expect_floats(evaluate(OpType::kGatherNd, {}, {kSix, places({1}, {1, 1})}), {1, 3}, {4, 5, 6});
}

}  // namespace
}  // namespace sightglass::test

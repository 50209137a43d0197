// Operators that move elements, on values that show their original positions.
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

}  // namespace
}  // namespace sightglass::test

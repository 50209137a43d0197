// Operators that move or copy elements without changing them: exact in every storage type that can represent them.
#include <algorithm>
#include <numeric>

#include "gpu_engine/internals.h"
#include "harness/value_of.h"
#include "ops/op_test.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

using LayoutTest = OpTest;

TEST_F(LayoutTest, ConcatOfChannels) {
  uint64_t seed = 1;
  for (const int a : kChannels) {
    for (const int b : kChannels) {
      for (const int c : {1, 4, 6}) {
        CaseBuilder builder(seed++);
        const ValueId x = builder.input({2, 3, 5, a}), y = builder.input({2, 3, 5, b}), z = builder.input({2, 3, 5, c});
        builder.node(OpType::kConcat, ConcatAttr{3}, {x, y, z});
        check(builder.build("CONCATENATION of " + std::to_string(a) + ", " + std::to_string(b) + ", " +
                            std::to_string(c) + " channels"),
              false, kExact);
      }
    }
  }
}

TEST_F(LayoutTest, IntegersAndBooleans) {
  uint64_t seed = 40;
  for (const DataType type : {DataType::kInt32, DataType::kInt64, DataType::kBool, DataType::kUInt8}) {
    for (const int channels : kChannels) {
      const std::string name = std::string(" of ") + to_string(type) + " C" + std::to_string(channels);
      const Shape shape{2, 3, 5, channels};
      CaseBuilder reshape(seed++), concat(seed++), slice(seed++), pad(seed++);
      reshape.node(OpType::kReshape, ReshapeAttr{{5, 6 * channels}}, {reshape.input(shape, Fill::kRamp, type)});
      check(reshape.build("RESHAPE" + name), false, kExact);
      concat.node(OpType::kConcat, ConcatAttr{3},
                  {concat.input(shape, Fill::kRamp, type), concat.constant({2, 3, 5, 2}, Fill::kRamp, type),
                   concat.input(shape, Fill::kLarge, type)});
      check(concat.build("CONCATENATION" + name), false, kExact);
      StridedSliceAttr all_rows;
      all_rows.stride = {1, 1, 2, 1};
      all_rows.size = {2, 3, 3, channels};
      all_rows.shape = {2, 3, 3, channels};
      slice.node(OpType::kStridedSlice, all_rows, {slice.input(shape, Fill::kRamp, type)});
      check(slice.build("STRIDED_SLICE" + name), false, kExact);
      PadAttr around;
      around.before = {0, 1, 2, 1};
      pad.node(OpType::kPad, around, {pad.input(shape, Fill::kRamp, type)});
      check(pad.build("PAD" + name), false, kExact);
    }
  }
}

TEST_F(LayoutTest, ConcatOfManySmall) {
  CaseBuilder builder(60);
  std::vector<ValueId> inputs;
  inputs.reserve(9);
  for (int i = 0; i < 9; ++i) inputs.push_back(builder.input({1, 4, 3, 1 + i % 3}));
  builder.node(OpType::kConcat, ConcatAttr{3}, inputs, Activation::kRelu);
  check(builder.build("CONCATENATION of nine"), false, kExact);
}

TEST_F(LayoutTest, ConcatOfOtherAxes) {
  uint64_t seed = 70;
  const Shape shapes[] = {{2, 3, 5, 13}, {3, 5, 4}, {5, 7}, {6}, {2, 2, 3, 5, 4}};
  for (const Shape& shape : shapes) {
    for (int axis = std::max(0, shape.rank() - 4); axis < shape.rank(); ++axis) {
      if (shape.rank() == 5 && axis < 2) continue;
      Shape second = shape;
      second.set_dim(axis, shape.dim(axis) + 2);
      CaseBuilder builder(seed++);
      const ValueId x = builder.input(shape), y = builder.constant(second), z = builder.input(shape);
      builder.node(OpType::kConcat, ConcatAttr{axis}, {x, y, z});
      check(builder.build("CONCATENATION of " + shape.to_string() + " along " + std::to_string(axis)), false, kExact);
    }
  }
}

// Operands of a concatenation are computed in their final position, if that is contiguous in memory.
class ConcatOfComputed : public OpTest {
 protected:
  // Checks the case, and returns the number of steps that copy values into a concatenation, or of another shader.
  int64_t moves(const OpCase& op, Precision precision = Precision::kFp32, const char* shader = "concat.comp") {
    check(op, false, kExact);
    const auto model = model_from_graph(op.graph);
    PlanOptions options;
    options.rewrites = false;
    options.precision = precision;
    const auto plan = value_of(Plan::build(*model, limits_for_half(), options));
    return std::ranges::count_if(plan->steps(),
                                 [shader](const StepInfo& step) { return step.kernel.starts_with(shader); });
  }
  static ValueId computed(CaseBuilder& builder, const Shape& shape) {
    return builder.node(OpType::kAbs, std::monostate{}, {builder.input(shape)});
  }
};

TEST_F(ConcatOfComputed, Channels) {
  uint64_t seed = 800;
  for (const int batch : {1, 2}) {
    for (const int a : {1, 4, 5, 8, 16}) {
      for (const int b : {3, 4, 12}) {
        CaseBuilder builder(seed++);
        const ValueId x = computed(builder, {batch, 3, 5, a}), y = computed(builder, {batch, 3, 5, b});
        builder.node(OpType::kConcat, ConcatAttr{3}, {x, y});
        const OpCase op = builder.build("CONCATENATION of " + std::to_string(a) + " and " + std::to_string(b) +
                                        " computed channels, batch " + std::to_string(batch));
        const bool aligned = batch == 1 && a % 4 == 0;
        EXPECT_EQ(moves(op), aligned ? 0 : 2) << op.name;
      }
    }
  }
}

TEST_F(ConcatOfComputed, OtherAxes) {
  uint64_t seed = 850;
  const auto along = [&](const Shape& shape, int axis) {
    CaseBuilder builder(seed++);
    const ValueId x = computed(builder, shape), y = computed(builder, shape);
    builder.node(OpType::kConcat, ConcatAttr{axis}, {x, y});
    return moves(builder.build("CONCATENATION of computed " + shape.to_string() + " along " + std::to_string(axis)));
  };
  EXPECT_EQ(along({2, 3, 5, 13}, 0), 0);
  EXPECT_EQ(along({1, 3, 5, 4}, 1), 0);
  EXPECT_EQ(along({1, 3, 5, 5}, 1), 2) << "rows of a slice do not follow those of the previous slice";
  EXPECT_EQ(along({2, 3, 5, 4}, 1), 2);
  EXPECT_EQ(along({1, 1, 5, 4}, 2), 0);
  EXPECT_EQ(along({1, 3, 5, 4}, 2), 2) << "rows grow";
}

TEST_F(ConcatOfComputed, StartsOnlyAtWholeBlocks) {
  CaseBuilder builder(870);
  // Fifteen pixels of four 16-bit channels are seven and a half blocks.
  const ValueId x = computed(builder, {1, 3, 5, 4}), y = computed(builder, {1, 3, 5, 4});
  builder.node(OpType::kConcat, ConcatAttr{3}, {x, y});
  const OpCase op = builder.build("CONCATENATION at half a block");
  EXPECT_EQ(moves(op), 0);
  EXPECT_EQ(moves(op, Precision::kFp16), 2);
}

TEST_F(ConcatOfComputed, PartsMayHaveOtherReaders) {
  CaseBuilder builder(880);
  const ValueId x = computed(builder, {1, 4, 6, 8}), y = computed(builder, {1, 4, 6, 4});
  const ValueId inner = builder.node(OpType::kConcat, ConcatAttr{3}, {x, y});
  const ValueId z = builder.node(OpType::kNeg, std::monostate{}, {x});
  // A nested concatenation. An operand that appears twice is in one of its positions. Inputs stay in place.
  const ValueId outer = builder.node(OpType::kConcat, ConcatAttr{3},
                                     {z, inner, z, builder.input({1, 4, 6, 4}), builder.constant({1, 4, 6, 8})});
  builder.node(OpType::kNeg, std::monostate{}, {outer});
  EXPECT_EQ(moves(builder.build("CONCATENATION of what others read")), 3);
}

TEST_F(ConcatOfComputed, OtherScalesAreCopied) {
  for (const float scale : {0.25f, 0.5f}) {
    CaseBuilder builder(890);
    const Quantized first{DataType::kInt8, {0.5f}}, second{DataType::kInt8, {scale}};
    const auto part = [&](const Quantized& quantized) {
      return builder.node(OpType::kMaximum, std::monostate{},
                          {builder.input({1, 3, 4, 4}, quantized), builder.input({1, 3, 4, 4}, quantized)}, quantized);
    };
    const ValueId x = part(first), y = part(second);
    builder.node(OpType::kConcat, ConcatAttr{3}, {x, y}, first);
    EXPECT_EQ(moves(builder.build("CONCATENATION of scales 0.5 and " + std::to_string(scale))), scale == 0.5f ? 0 : 1);
  }
}

// Channels of a computed tensor are read where they are, if they are whole slices.
class ChannelsInPlace : public ConcatOfComputed {
 protected:
  static ValueId slice(CaseBuilder& builder, ValueId data, int32_t begin, int32_t count) {
    const Shape shape = builder.graph().value(data).shape;
    StridedSliceAttr attr{{0, 0, 0, begin}, {1, 1, 1, 1}, {shape.dim(0), shape.dim(1), shape.dim(2), count}, shape};
    attr.shape.set_dim(3, count);
    return builder.node(OpType::kStridedSlice, attr, {data});
  }
  int64_t copies(const OpCase& op) { return moves(op, Precision::kFp32, "slice_pad.comp"); }
};

TEST_F(ChannelsInPlace, OfSlices) {
  struct Cut {
    int32_t batch, channels, begin, count;
    bool copied;
  };
  uint64_t seed = 900;
  for (const Cut& cut : {Cut{1, 16, 4, 8, false},
                         {1, 16, 8, 8, false},
                         {1, 13, 8, 5, false},
                         {1, 13, 4, 5, true},
                         {1, 16, 2, 8, true},
                         {2, 16, 4, 8, true},
                         {1, 5, 4, 1, false}}) {
    CaseBuilder builder(seed++), convolved(seed++), again(seed++);
    const std::string name = std::to_string(cut.count) + " of " + std::to_string(cut.channels) + " channels";
    const Shape shape{cut.batch, 3, 5, cut.channels};
    builder.node(OpType::kNeg, std::monostate{}, {slice(builder, computed(builder, shape), cut.begin, cut.count)});
    EXPECT_EQ(copies(builder.build(name)), cut.copied ? 1 : 0) << name;
    const ValueId part = slice(convolved, computed(convolved, shape), cut.begin, cut.count);
    convolved.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame, 0, 0, 0, 0}, 1, 1, 1, 1},
                   {part, convolved.constant({6, 3, 3, cut.count})});
    check(convolved.build("CONV_2D of " + name));
    const ValueId outer = slice(again, computed(again, {cut.batch, 3, 5, cut.channels + 4}), 4, cut.channels);
    const ValueId rows = again.node(OpType::kReshape, ReshapeAttr{{cut.batch, 5, 3, cut.count}},
                                    {slice(again, outer, cut.begin, cut.count)});
    again.node(OpType::kAdd, SumAttr{}, {rows, again.input({cut.batch, 5, 3, cut.count})});
    check(again.build("RESHAPE of a slice of a slice, " + name), false, kExact);
  }
}

TEST_F(ChannelsInPlace, OfSplits) {
  for (const std::vector<int32_t>& sizes : {std::vector{8, 8, 5}, {4, 5, 4}}) {
    CaseBuilder builder(930);
    const ValueId data = computed(builder, {1, 3, 5, sizes[0] + sizes[1] + sizes[2]});
    const std::vector<ValueId> parts = builder.node_with(OpType::kSplit, SplitAttr{3, sizes, false}, {data}, 3);
    builder.node(OpType::kConcat, ConcatAttr{3},
                 {builder.node(OpType::kNeg, std::monostate{}, {parts[1]}), parts[0],
                  builder.node(OpType::kNeg, std::monostate{}, {parts[2]})});
    check(builder.build("SPLIT into " + std::to_string(sizes[1]) + " channels and others"), false, kExact);
  }
}

// A state and an input that the host writes may change before the part is read. An output is a tensor of its own.
TEST_F(ChannelsInPlace, NotOfInputsNorOutputs) {
  CaseBuilder input(940), output(941);
  input.node(OpType::kNeg, std::monostate{}, {slice(input, input.input({1, 3, 5, 16}), 4, 8)});
  EXPECT_EQ(copies(input.build("channels of an input")), 1);
  slice(output, computed(output, {1, 3, 5, 16}), 4, 8);
  EXPECT_EQ(copies(output.build("channels as an output")), 1);
}

TEST_F(ChannelsInPlace, AreCopiedToTheCpu) {
  CaseBuilder builder(950);
  builder.node(OpType::kNeg, std::monostate{}, {slice(builder, computed(builder, {1, 3, 5, 16}), 4, 8)});
  ForcedPlanOptions options;
  options.rewrites = false;
  options.fallback = Fallback::kCpu;
  options.hidden_operators = {"NEG"};
  check_with(builder.build("channels on the CPU"), options, kExact);
}

TEST_F(LayoutTest, Pad) {
  uint64_t seed = 100;
  Random random(100);
  for (const int channels : kChannels) {
    for (int i = 0; i < 8; ++i) {
      PadAttr attr;
      // One axis after the other, then all at once.
      for (int axis = 0; axis < 4; ++axis) {
        if (i < 4 && axis != i) continue;
        attr.before[static_cast<size_t>(axis)] = random.pick(0, 5);
        attr.after[static_cast<size_t>(axis)] = random.pick(0, 5);
      }
      attr.value = i % 2 == 0 ? 0.0f : -2.5f;
      CaseBuilder builder(seed++);
      builder.node(OpType::kPad, attr, {builder.input({2, 3, 5, channels})});
      check(builder.build("PAD case " + std::to_string(i) + " of C" + std::to_string(channels)), false, kExact);
    }
  }
  for (const Shape& shape : {Shape{3, 5, 4}, Shape{5, 7}, Shape{6}}) {
    PadAttr attr;
    for (int axis = 0; axis < shape.rank(); ++axis) attr.before[static_cast<size_t>(axis)] = axis + 1;
    attr.after[0] = 3;
    CaseBuilder builder(seed++);
    builder.node(OpType::kPad, attr, {builder.input(shape)});
    check(builder.build("PAD of " + shape.to_string()), false, kExact);
  }
}

TEST_F(LayoutTest, StridedSlice) {
  Random random(200);
  for (uint64_t seed = 200; seed < 280; ++seed) {
    const Shape shapes[] = {{2, 7, 9, 13}, {2, 7, 9, 4}, {5, 6, 7}, {9, 11}, {17}};
    const Shape& shape = shapes[seed % 5];
    StridedSliceAttr attr;
    std::vector<int32_t> kept;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const auto i = static_cast<size_t>(axis);
      const int dim = shape.dim(axis);
      const int stride = random.of({1, 1, 1, 2, 3, -1, -2});
      const int begin = random.pick(0, dim - 1);
      const int reachable = stride > 0 ? (dim - 1 - begin) / stride + 1 : begin / -stride + 1;
      attr.begin[i] = begin;
      attr.stride[i] = stride;
      attr.size[i] = random.pick(1, reachable);
      const bool shrink = attr.size[i] == 1 && random.pick(0, 1) == 0;
      if (!shrink) kept.push_back(attr.size[i]);
    }
    attr.shape = Shape(std::span<const int32_t>(kept));
    CaseBuilder builder(seed);
    builder.node(OpType::kStridedSlice, attr, {builder.input(shape)});
    check(builder.build("STRIDED_SLICE " + shape.to_string() + "→" + attr.shape.to_string()), false, kExact);
  }
}

TEST_F(LayoutTest, Reshape) {
  const std::pair<Shape, Shape> pairs[] = {{{1, 4, 6, 8}, {1, 24, 8}},      {{1, 4, 6, 8}, {1, 192}},
                                           {{1, 4, 6, 8}, {192}},           {{1, 4, 6, 5}, {1, 8, 3, 5}},
                                           {{1, 4, 6, 5}, {1, 6, 4, 5}},    {{2, 3, 5, 7}, {1, 2, 3, 5, 7}},
                                           {{2, 3, 5, 7}, {3, 2, 5, 7}},    {{2, 3, 5, 7}, {6, 35}},
                                           {{1, 1, 1, 30}, {1, 2, 3, 5}},   {{210}, {2, 3, 5, 7}},
                                           {{2, 3, 5, 7}, {2, 3, 35}},      {{1, 8, 8, 2}, {1, 4, 4, 8}},
                                           {{1, 16, 16, 6}, {1, 512, 3}},   {{1}, {}},
                                           {{1, 1, 65, 66}, {1, 65, 66, 1}}};
  uint64_t seed = 300;
  for (const auto& [from, to] : pairs) {
    CaseBuilder builder(seed++);
    // An operator before and after, so that a view of the same memory is used from both sides.
    const ValueId a = builder.node(OpType::kRelu, {}, {builder.input(from)});
    const ValueId b = builder.node(OpType::kReshape, ReshapeAttr{to}, {a});
    builder.node(OpType::kRelu6, {}, {b});
    check(builder.build("RESHAPE " + from.to_string() + "→" + to.to_string()), false, kExact);
  }
}

TEST_F(LayoutTest, OutputsThatAreViews) {
  CaseBuilder builder(350);
  const ValueId a = builder.node(OpType::kRelu, {}, {builder.input({1, 4, 6, 8})});
  builder.node(OpType::kReshape, ReshapeAttr{{24, 8}}, {a});
  check(builder.build("RESHAPE as the last operator"), false, kExact);
}

TEST_F(LayoutTest, DepthToSpace) {
  uint64_t seed = 400;
  for (const int block : {1, 2, 3}) {
    for (const int channels : kChannels) {
      CaseBuilder builder(seed++);
      builder.node(OpType::kDepthToSpace, BlockSizeAttr{block}, {builder.input({2, 5, 7, channels * block * block})});
      check(builder.build("DEPTH_TO_SPACE by " + std::to_string(block) + " to C" + std::to_string(channels)), false,
            kExact);
    }
  }
}

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

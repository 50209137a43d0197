// Pools, RESIZE_BILINEAR, reductions over any axes, indices of extremes, and normalization over the last dimension.
#include <algorithm>

#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using SpatialTest = OpTest;

TEST_F(SpatialTest, Pool) {
  Random random(1);
  for (uint64_t seed = 0; seed < 80; ++seed) {
    Pool2dAttr attr;
    const int height = random.of({1, 4, 7, 16, 33}), width = random.of({1, 5, 8, 17, 65});
    attr.filter_h = random.pick(1, std::min(height, 5));
    attr.filter_w = random.pick(1, std::min(width, 5));
    attr.stride_h = random.pick(1, 3);
    attr.stride_w = random.pick(1, 3);
    attr.padding.mode = random.of({PaddingMode::kSame, PaddingMode::kValid});
    const OpType op = random.of({OpType::kAveragePool2d, OpType::kMaxPool2d});
    const int channels = random.of(kChannels);
    CaseBuilder builder(seed);
    builder.node(op, attr, {builder.input({random.pick(1, 2), height, width, channels})},
                 random.of({Activation::kNone, Activation::kRelu6}));
    check(builder.build(std::string(to_string(op)) + " " + std::to_string(attr.filter_h) + "x" +
                        std::to_string(attr.filter_w) + " of " + std::to_string(height) + "x" + std::to_string(width) +
                        "x" + std::to_string(channels)));
  }
}

TEST_F(SpatialTest, LargeWindows) {
  uint64_t seed = 100;
  for (const OpType op : {OpType::kAveragePool2d, OpType::kMaxPool2d}) {
    for (const auto& [size, window, stride] :
         {std::tuple{40, 40, 40}, {40, 17, 3}, {64, 33, 2}, {257, 257, 1}, {90, 20, 20}}) {
      for (const PaddingMode mode : {PaddingMode::kSame, PaddingMode::kValid}) {
        Pool2dAttr attr;
        attr.padding.mode = mode;
        attr.filter_h = attr.filter_w = window;
        attr.stride_h = attr.stride_w = stride;
        if (mode == PaddingMode::kSame && size == 257) continue;  // 257² windows of 257²: minutes in the reference
        CaseBuilder builder(seed++);
        builder.node(op, attr, {builder.input({1, size, size, 5})});
        check(builder.build(std::string(to_string(op)) + " window " + std::to_string(window) + " of " +
                            std::to_string(size)));
      }
    }
  }
}

// A pool with indices, and its unpooling: windows that overlap, touch, and leave gaps.
TEST_F(SpatialTest, PoolsWithIndices) {
  uint64_t seed = 150;
  for (const int channels : kChannels) {
    for (const auto& [height, width] : {std::pair{1, 1}, {7, 9}, {16, 33}}) {
      for (const auto& [filter_h, filter_w, stride] : {std::tuple{2, 2, 2}, {3, 2, 1}, {1, 2, 3}, {3, 3, 2}}) {
        Pool2dAttr attr;
        attr.filter_h = filter_h;
        attr.filter_w = filter_w;
        attr.stride_h = attr.stride_w = stride;
        attr.padding.mode = PaddingMode::kSame;
        const std::string what = " " + std::to_string(filter_h) + "x" + std::to_string(filter_w) + " stride " +
                                 std::to_string(stride) + " of " + std::to_string(height) + "x" +
                                 std::to_string(width) + "x" + std::to_string(channels);
        CaseBuilder pool(seed++);
        pool.node_with(OpType::kMaxPoolWithArgmax, attr,
                       {pool.input({2, height, width, channels}, seed % 2 == 0 ? Fill::kUniform : Fill::kZero)}, 2);
        check(pool.build("MaxPoolingWithArgmax2D" + what));
        CaseBuilder unpool(seed++);
        const Shape shape{2, height, width, channels};
        // Indices of all windows, and some invalid ones.
        const ValueId places = unpool.input(shape, Fill::kWide);
        unpool.node(OpType::kMaxUnpool, attr, {unpool.input(shape), places});
        check(unpool.build("MaxUnpooling2D" + what));
      }
    }
  }
}

TEST_F(SpatialTest, Mean) {
  uint64_t seed = 200;
  const std::pair<int, int> sizes[] = {{1, 1}, {1, 2}, {7, 9}, {8, 8}, {33, 2}, {96, 96}, {300, 300}};
  for (const auto& [height, width] : sizes) {
    for (const int channels : {1, 3, 4, 5, 13, 32}) {
      for (const bool keep : {false, true}) {
        if (height == 300 && channels > 5) continue;
        CaseBuilder builder(seed++);
        builder.node(OpType::kMean, ReduceAttr{{1, 2}, keep},
                     {builder.input({2, height, width, channels}, Fill::kPositive)});
        check(builder.build("MEAN of " + std::to_string(height) + "x" + std::to_string(width) + "x" +
                            std::to_string(channels)));
      }
    }
  }
}

TEST_F(SpatialTest, MeanOfASum) {
  uint64_t seed = 350;
  for (const auto& [height, width] : {std::pair{1, 1}, {7, 9}, {33, 2}, {96, 96}}) {
    for (const Fill kind : {Fill::kUniform, Fill::kZero, Fill::kTiny, Fill::kOneHot}) {
      const Shape shape{2, height, width, 13};
      CaseBuilder builder(seed++);
      builder.node(OpType::kMean, ReduceAttr{{1, 2}, height != 7}, {builder.input(shape, kind), builder.input(shape)});
      check(builder.build("MEAN of the sum of two " + shape.to_string()));
    }
  }
}

TEST_F(SpatialTest, ResizeBilinear) {
  uint64_t seed = 400;
  const std::pair<int, int> sizes[] = {{1, 1}, {1, 8}, {8, 1}, {4, 8}, {8, 4}, {33, 257}, {7, 20}, {20, 7}, {5, 5}};
  for (const auto& [from, to] : sizes) {
    for (const auto& [corners, half] : {std::pair{false, false}, {true, false}, {false, true}}) {
      for (const int channels : {1, 3, 5, 16, 37}) {
        ResizeAttr attr;
        attr.out_h = to;
        attr.out_w = to + 3;
        attr.align_corners = corners;
        attr.half_pixel_centers = half;
        CaseBuilder builder(seed++);
        builder.node(OpType::kResizeBilinear, attr, {builder.input({2, from, from, channels})});
        check(builder.build("RESIZE_BILINEAR " + std::to_string(from) + "→" + std::to_string(to) +
                            (corners ? " aligned corners"
                             : half  ? " half pixels"
                                     : "")));
      }
    }
  }
}

using ReduceTest = OpTest;

std::string text(const std::vector<int32_t>& axes) {
  std::string list;
  for (const int32_t axis : axes) list += (list.empty() ? "" : ",") + std::to_string(axis);
  return list;
}

// Every choice of axes; for larger shapes, some choices.
std::vector<std::vector<int32_t>> choices(int rank) {
  std::vector<std::vector<int32_t>> all;
  for (int bits = 1; bits < 1 << rank; ++bits) {
    std::vector<int32_t> axes;
    for (int d = 0; d < rank; ++d) {
      if ((bits >> d & 1) != 0) axes.push_back(d);
    }
    all.push_back(axes);
  }
  return all;
}

TEST_F(ReduceTest, EveryChoiceOfAxes) {
  uint64_t seed = 1;
  for (const Shape& shape : {Shape{7}, {3, 5}, {2, 3, 13}, {2, 5, 7, 6}, {2, 3, 4, 3, 5}, {2, 1, 3, 4}}) {
    for (const std::vector<int32_t>& axes : choices(shape.rank())) {
      if (axes.size() == 1 && shape.dim(axes[0]) == 1) continue;
      for (const OpType op : {OpType::kSum, OpType::kReduceMax}) {
        CaseBuilder builder(seed++);
        builder.node(op, ReduceAttr{axes, seed % 2 == 0}, {builder.input(shape, Fill::kWide)});
        check(builder.build(std::string(to_string(op)) + " of " + shape.to_string() + " over " + text(axes)));
      }
    }
  }
}

TEST_F(ReduceTest, EveryOperator) {
  uint64_t seed = 400;
  for (const OpType op : {OpType::kMean, OpType::kSum, OpType::kReduceMax, OpType::kReduceMin, OpType::kReduceProd}) {
    for (const std::vector<int32_t>& axes : {std::vector<int32_t>{1, 2}, {3}, {0}, {0, 1, 2, 3}, {1}, {2, 3}}) {
      CaseBuilder real(seed++), whole(seed++);
      const Shape shape{2, 3, 2, 5};
      const std::string name = std::string(to_string(op)) + " over " + text(axes);
      real.node(op, ReduceAttr{axes, false}, {real.input(shape, Fill::kDivisor)});
      check(real.build(name));
      whole.node(op, ReduceAttr{axes, true}, {whole.input(shape, Fill::kWide, DataType::kInt32)});
      check(whole.build("int32 " + name), true, kExact);
    }
  }
}

TEST_F(ReduceTest, Booleans) {
  uint64_t seed = 500;
  for (const OpType op : {OpType::kReduceAny, OpType::kReduceAll}) {
    for (const std::vector<int32_t>& axes : {std::vector<int32_t>{1}, {2}, {0, 1, 2}}) {
      CaseBuilder builder(seed++);
      builder.node(op, ReduceAttr{axes, false}, {builder.input({9, 2, 3}, Fill::kUniform, DataType::kBool)});
      check(builder.build(std::string(to_string(op)) + " over " + text(axes)), true, kExact);
    }
  }
}

TEST_F(ReduceTest, LongRowsAreSplit) {
  uint64_t seed = 550;
  for (const Shape& shape : {Shape{1, 300, 301, 2}, {100003}, {70000, 3}}) {
    for (const OpType op : {OpType::kSum, OpType::kMean, OpType::kReduceMin}) {
      std::vector<int32_t> axes{0};
      if (shape.rank() == 4) axes = {1, 2};
      CaseBuilder builder(seed++);
      builder.node(op, ReduceAttr{axes, false}, {builder.input(shape, Fill::kPositive)});
      check(builder.build(std::string(to_string(op)) + " of " + shape.to_string()));
    }
  }
}

TEST_F(ReduceTest, FusedActivation) {
  CaseBuilder builder(580);
  builder.node(OpType::kMean, ReduceAttr{{1}, true}, {builder.input({2, 5, 7}, Fill::kWide)}, Activation::kRelu6);
  check(builder.build("MEAN with RELU6"));
}

TEST_F(ReduceTest, IndicesOfExtremes) {
  uint64_t seed = 600;
  for (const OpType op : {OpType::kArgMax, OpType::kArgMin}) {
    for (const Shape& shape : {Shape{7}, {3, 5}, {2, 3, 13}, {2, 5, 7, 6}, {2, 3, 4, 3, 5}, {1, 9, 8, 21}, {1, 1001}}) {
      for (int32_t axis = 0; axis < shape.rank(); ++axis) {
        for (const DataType type : {DataType::kFloat32, DataType::kInt32}) {
          for (const Fill data : {Fill::kWide, Fill::kLarge}) {  // the latter with many equal values
            CaseBuilder builder(seed++);
            builder.node(op, ArgAttr{axis}, {builder.input(shape, data, type)}, Activation::kNone,
                         seed % 2 == 0 ? DataType::kInt32 : DataType::kInt64);
            check(builder.build(std::string(to_string(op)) + " of " + shape.to_string() + " along " +
                                std::to_string(axis)),
                  true, kExact);
          }
        }
      }
    }
  }
}

TEST_F(ReduceTest, NormalizedOverTheLastDimension) {
  uint64_t seed = 900;
  for (const OpType op : {OpType::kSoftmax, OpType::kLogSoftmax, OpType::kL2Normalization}) {
    for (const Shape& shape : {Shape{6}, {2, 5}, {3, 5, 13}, {1, 7, 9, 5}, {2, 3, 4, 3, 21}, {1, 1001}}) {
      for (const Fill data : {Fill::kWide, Fill::kZero, Fill::kUniform}) {
        CaseBuilder builder(seed++);
        const Attributes attributes = op == OpType::kSoftmax ? Attributes(SoftmaxAttr{0.5f}) : Attributes();
        builder.node(op, attributes, {builder.input(shape, data)});
        check(builder.build(std::string(to_string(op)) + " " + shape.to_string()));
      }
    }
  }
}

}  // namespace
}  // namespace sightglass::test

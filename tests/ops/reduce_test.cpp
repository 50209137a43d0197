// Reductions over any axes, indices of extremes, and normalization over the last dimension.
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

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

// The largest elements of every row, and their indices.
#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using TopKTest = OpTest;

TEST_F(TopKTest, ShapesAndEqualValues) {
  uint64_t seed = 1;
  for (const Shape& shape : {Shape{1}, {7}, {3, 5}, {2, 3, 13}, {2, 9, 8, 4}, {2, 3, 4, 3, 6}, {1, 1001}, {70, 65}}) {
    const int32_t count = shape.dim(shape.rank() - 1);
    for (const int32_t k : {1, (count + 1) / 2, count}) {
      for (const DataType type : {DataType::kFloat32, DataType::kInt32, DataType::kInt64}) {
        for (const Fill data :
             {Fill::kWide, Fill::kZero, Fill::kRamp}) {  // the first one, as integers, has many equal values
          CaseBuilder builder(seed++);
          builder.node_with(OpType::kTopK, TopKAttr{k}, {builder.input(shape, data, type)}, 2);
          check(builder.build(std::string(to_string(type)) + " TOPK_V2 " + std::to_string(k) + " of " +
                              shape.to_string()),
                false, kExact);
        }
      }
    }
  }
}

TEST_F(TopKTest, QuantizedElementsAreUnchanged) {
  for (const DataType type : {DataType::kInt8, DataType::kUInt8, DataType::kInt16}) {
    CaseBuilder builder(400);
    const Quantized quantized{type, {0.05f}, type == DataType::kInt16 ? 0 : 9};
    const ValueId in = builder.input({2, 3, 13}, quantized);
    const ValueId values = builder.node_with(OpType::kTopK, TopKAttr{6}, {in}, 2)[0];
    OpCase op = builder.build(std::string(to_string(type)) + " TOPK_V2");
    op.graph.value(values).quantization = op.graph.value(in).quantization;
    check(op, false, kExact);
  }
}

TEST_F(TopKTest, NegativeValuesPrecedeUnusedLanes) {
  CaseBuilder builder(500);
  const ValueId negative = builder.node(OpType::kNeg, {}, {builder.input({2, 5}, Fill::kPositive)});
  builder.node_with(OpType::kTopK, TopKAttr{5}, {negative}, 2);
  check(builder.build("TOPK_V2 below zero"), false, kExact);
}

}  // namespace
}  // namespace sightglass::test

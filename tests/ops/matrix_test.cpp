// Matrix products, crops around landmarks, and transforms of landmarks and images by matrices.
#include <algorithm>
#include <array>

#include "ops/op_test.h"

namespace sightglass::test {
namespace {

using MatmulTest = OpTest;

// [batch…, rows, columns], or with the last two swapped.
Shape matrix(std::vector<int32_t> batch, int32_t rows, int32_t columns, bool transposed) {
  batch.push_back(transposed ? columns : rows);
  batch.push_back(transposed ? rows : columns);
  return Shape(batch);
}

std::string text(const OpCase& op, const BatchMatmulAttr& attr) {
  std::string name = "BATCH_MATMUL";
  for (const HostTensor& input : op.inputs) name += " " + input.shape.to_string();
  return name + (attr.adj_x ? " adj_x" : "") + (attr.adj_y ? " adj_y" : "");
}

TEST_F(MatmulTest, SizesAndTranspositions) {
  const std::array<int32_t, 3> sizes[] = {{1, 1, 1},  {1, 5, 3},   {4, 4, 4},    {5, 13, 7},
                                          {3, 1, 16}, {13, 16, 5}, {65, 33, 70}, {1, 1001, 2}};
  uint64_t seed = 1;
  for (const auto& [rows, depth, columns] : sizes) {
    for (const BatchMatmulAttr& attr : {BatchMatmulAttr{}, {true, false}, {false, true}, {true, true}}) {
      CaseBuilder builder(seed++);
      builder.node(
          OpType::kBatchMatmul, attr,
          {builder.input(matrix({}, rows, depth, attr.adj_x)), builder.input(matrix({}, depth, columns, attr.adj_y))});
      OpCase op = builder.build("");
      op.name = text(op, attr);
      check(op);
    }
  }
}

TEST_F(MatmulTest, BatchesBroadcast) {
  const std::pair<std::vector<int32_t>, std::vector<int32_t>> batches[] = {{{2}, {2}},
                                                                           {{3}, {}},
                                                                           {{}, {3}},
                                                                           {{2, 3}, {2, 3}},
                                                                           {{2, 3}, {3}},
                                                                           {{2, 1}, {1, 3}},
                                                                           {{1}, {2, 3}},
                                                                           {{2, 3, 4}, {4}},
                                                                           {{2, 1, 4}, {3, 1}},
                                                                           {{1, 3, 1}, {2, 1, 2}},
                                                                           {{2, 3, 1}, {2, 3, 1}}};
  uint64_t seed = 100;
  for (const auto& [x, y] : batches) {
    for (const BatchMatmulAttr& attr : {BatchMatmulAttr{}, {true, true}}) {
      CaseBuilder builder(seed++);
      builder.node(OpType::kBatchMatmul, attr,
                   {builder.input(matrix(x, 5, 6, attr.adj_x)), builder.input(matrix(y, 6, 9, attr.adj_y))});
      OpCase op = builder.build("");
      op.name = text(op, attr);
      check(op);
    }
  }
}

TEST_F(MatmulTest, EitherOperandMayBeConstant) {
  CaseBuilder left(200), right(201);
  left.node(OpType::kBatchMatmul, BatchMatmulAttr{}, {left.constant({2, 7, 5}), left.input({2, 5, 3})});
  check(left.build("BATCH_MATMUL constant x"), true);
  right.node(OpType::kBatchMatmul, BatchMatmulAttr{false, true}, {right.input({2, 7, 5}), right.constant({3, 5})});
  check(right.build("BATCH_MATMUL constant y"), true);
}

TEST_F(MatmulTest, Quantized) {
  uint64_t seed = 300;
  const std::pair<Quantized, Quantized> types[] = {
      {{DataType::kInt8, {0.0391f}, -7}, {DataType::kInt8, {0.47f}, 11}},
      {{DataType::kUInt8, {0.0235f}, 128}, {DataType::kUInt8, {0.31f}, 97}},
      {{DataType::kInt16, {0.0003f}, 0}, {DataType::kInt16, {0.011f}, 0}}};
  for (const auto& [operand, result] : types) {
    for (const BatchMatmulAttr& attr : {BatchMatmulAttr{}, {true, false}, {false, true}}) {
      CaseBuilder builder(seed++);
      const Quantized other{operand.type, {operand.scale[0] * 0.7f}, operand.zero_point == 0 ? 0 : 5};
      builder.node(OpType::kBatchMatmul, attr,
                   {builder.input(matrix({2, 3}, 7, 13, attr.adj_x), operand),
                    builder.input(matrix({3}, 13, 6, attr.adj_y), other)},
                   result);
      OpCase op = builder.build("");
      op.name = std::string(to_string(operand.type)) + " " + text(op, attr);
      check(op, false, kFewQuanta);
    }
  }
}

TEST_F(MatmulTest, FullyConnectedWithComputedWeights) {
  uint64_t seed = 400;
  for (const int32_t depth : {1, 3, 4, 13, 24}) {
    for (const int32_t columns : {1, 5, 16}) {
      for (const Activation activation : {Activation::kNone, Activation::kRelu6, Activation::kPrelu}) {
        CaseBuilder builder(seed++);
        const bool prelu = activation == Activation::kPrelu;
        std::vector<ValueId> inputs{builder.input({3, 2, depth}), builder.input({columns, depth}, Fill::kWide)};
        inputs.push_back(prelu || seed % 2 == 0 ? builder.constant({columns}) : kNone);
        if (prelu) inputs.push_back(builder.constant({columns}));
        builder.node(OpType::kFullyConnected, FullyConnectedAttr{seed % 3 == 0}, inputs, activation);
        check(builder.build("FULLY_CONNECTED computed " + std::to_string(depth) + "x" + std::to_string(columns) + " " +
                            to_string(activation)));
      }
    }
  }
}

TEST_F(MatmulTest, FullyConnectedOfImagesWithComputedWeights) {
  CaseBuilder pictures(500), parts(501);
  pictures.node(OpType::kFullyConnected, FullyConnectedAttr{},
                {pictures.input({2, 3, 4, 5}), pictures.input({7, 60}), kNone});
  check(pictures.build("FULLY_CONNECTED computed, of pictures"));
  parts.node(OpType::kFullyConnected, FullyConnectedAttr{}, {parts.input({2, 6}), parts.input({7, 4})});
  check(parts.build("FULLY_CONNECTED computed, of parts of rows"));
}

TEST_F(MatmulTest, QuantizedFullyConnectedWithComputedWeights) {
  for (const DataType type : {DataType::kInt8, DataType::kUInt8}) {
    CaseBuilder builder(600);
    const ValueId data = builder.input({3, 13}, {type, {0.0391f}, 3});
    const ValueId weights = builder.input({6, 13}, {type, {0.0071f}, type == DataType::kInt8 ? 0 : 120});
    builder.node(OpType::kFullyConnected, FullyConnectedAttr{}, {data, weights, builder.bias(6)},
                 Quantized{type, {0.47f}, 11}, Activation::kRelu);
    check(builder.build(std::string(to_string(type)) + " FULLY_CONNECTED computed"), false, kFewQuanta);
  }
}

using TransformTest = OpTest;

// The first two rows of matrices that 16-bit floats represent exactly, so that no position crosses a border.
constexpr std::array kMatrices{std::array<float, 8>{1, 0, 0, 0, 0, 1, 0, 0},              // identity
                               std::array<float, 8>{0, -1, 0, 6, 1, 0, 0, 1},             // a quarter turn
                               std::array<float, 8>{0.5f, 0, 0, -1.25f, 0, 0.25f, 0, 2},  // larger
                               std::array<float, 8>{2, 0.25f, 0, 0.5f, -0.5f, 3, 0, -7}};

void set_matrix(HostTensor& tensor, const std::array<float, 8>& rows) {
  std::ranges::copy(rows, tensor.as<float>().begin());
}

TEST_F(TransformTest, LandmarksToMatrix) {
  Random random(1);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const int count = random.of({2, 3, 11, 70, 478});
    LandmarksToMatrixAttr attr;
    attr.left = random.pick(0, count - 1);
    attr.right = (attr.left + 1) % count;
    for (int i = random.of({1, 2, 4, 5, 130}); i > 0; --i) attr.subset.push_back(random.pick(0, count - 1));
    attr.directed = random.pick(0, 1) == 1;
    attr.target_rotation = random.uniform(-2, 2);
    attr.scale_x = random.uniform(0.5f, 2);
    attr.scale_y = random.uniform(0.5f, 2);
    attr.columns = static_cast<float>(random.pick(1, 64));
    attr.rows = static_cast<float>(random.pick(1, 64));
    attr.pixels_x = random.uniform(0.5f, 2);
    const Shape shape = random.of({Shape{1, count, 3}, Shape{1, 1, 1, 3 * count}, Shape{3 * count}});
    CaseBuilder builder(seed);
    builder.node(OpType::kLandmarksToMatrix, attr, {builder.input(shape, Fill::kWide)});
    check(builder.build("matrix of " + std::to_string(attr.subset.size()) + " in " + shape.to_string()));
  }
}

TEST_F(TransformTest, EqualLandmarks) {
  LandmarksToMatrixAttr attr;
  attr.subset = {0, 1};
  CaseBuilder builder(100);
  builder.node(OpType::kLandmarksToMatrix, attr, {builder.input({1, 2, 3}, Fill::kZero)});
  check(builder.build("matrix of equal landmarks"));
}

TEST_F(TransformTest, Landmarks) {
  uint64_t seed = 200;
  for (const Shape& shape : {Shape{6}, {1, 1, 1, 12}, {1, 4, 6}, {1, 1, 478, 6}, {2, 3, 5, 6}, {1, 1, 1, 390}}) {
    for (const int32_t dimensions : {2, 3}) {
      for (const Shape& matrix : {Shape{1, 4, 4}, {1, 1, 4, 4}, {16}}) {
        CaseBuilder builder(seed);
        const ValueId data = builder.input(shape, Fill::kWide);
        builder.node(OpType::kTransformLandmarks, TransformLandmarksAttr{dimensions, 0.5f},
                     {data, builder.input(matrix)});
        OpCase op = builder.build(std::to_string(dimensions) + "D landmarks " + shape.to_string() + " by " +
                                  matrix.to_string());
        set_matrix(op.inputs[1], kMatrices[seed++ % kMatrices.size()]);
        check(op);
      }
    }
  }
}

TEST_F(TransformTest, Images) {
  uint64_t seed = 300;
  for (const int channels : {1, 3, 4, 5, 13, 16}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {7, 9}, {16, 33}}) {
      for (const auto& rows : kMatrices) {
        for (const bool half : {false, true}) {
          TransformImageAttr attr{static_cast<int32_t>(seed % 3) * 8 + 1, 13, half};
          CaseBuilder builder(seed++);
          const ValueId data = builder.input({1, height, width, channels}, Fill::kRamp);
          builder.node(OpType::kTransformImage, attr, {data, builder.input({1, 4, 4})});
          OpCase op = builder.build("image of " + std::to_string(height) + "x" + std::to_string(width) + "x" +
                                    std::to_string(channels));
          set_matrix(op.inputs[1], rows);
          check(op);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sightglass::test

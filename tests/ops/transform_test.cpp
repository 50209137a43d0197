// Crops around landmarks, and transforms of landmarks and images by matrices.
#include <algorithm>
#include <array>

#include "ops/op_test.h"

namespace sightglass::test {
namespace {

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

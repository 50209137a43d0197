// Matrix products, crops around landmarks, and transforms of landmarks and images by matrices, on values computed by
// hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "single_op.h"

namespace sightglass::test {
namespace {

const HostTensor kTwoByThree = floats({2, 3}, {1, 2, 3, 4, 5, 6});
const HostTensor kThreeByTwo = floats({3, 2}, {1, 4, 2, 5, 3, 6});  // the same transposed

TEST(RefMatmul, RowsTimesColumns) {
  const HostTensor y = floats({3, 2}, {1, 0, 2, -1, 0, 10});
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{}, {kTwoByThree, y}), {2, 2}, {5, 28, 14, 55});
}

TEST(RefMatmul, EitherOperandMayBeTransposed) {
  const HostTensor y = floats({3, 2}, {1, 0, 2, -1, 0, 10}), y_transposed = floats({2, 3}, {1, 2, 0, 0, -1, 10});
  const std::vector<float> expected{5, 28, 14, 55};
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{true, false}, {kThreeByTwo, y}), {2, 2}, expected);
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{false, true}, {kTwoByThree, y_transposed}), {2, 2},
                expected);
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{true, true}, {kThreeByTwo, y_transposed}), {2, 2},
                expected);
}

TEST(RefMatmul, BatchesBroadcast) {
  const HostTensor x = floats({2, 1, 1, 2}, {1, 2, 3, 4}), y = floats({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  expect_floats(evaluate(OpType::kBatchMatmul, BatchMatmulAttr{}, {x, y}), {2, 3, 1, 1}, {1, 2, 3, 3, 4, 7});
}

TEST(RefMatmul, RejectsShapesThatDoNotFit) {
  EXPECT_NE(refusal(OpType::kBatchMatmul, BatchMatmulAttr{}, {kTwoByThree, kTwoByThree}).message().find("2x3 and 2x3"),
            std::string::npos);
  EXPECT_NE(refusal(OpType::kBatchMatmul, BatchMatmulAttr{}, {floats({3}, {1, 2, 3}), kThreeByTwo})
                .message()
                .find("not a matrix"),
            std::string::npos);
  const HostTensor two = floats({2, 1, 1}, {1, 2}), three = floats({3, 1, 1}, {1, 2, 3});
  EXPECT_NE(refusal(OpType::kBatchMatmul, BatchMatmulAttr{}, {two, three}).message().find("broadcast"),
            std::string::npos);
}

constexpr float kNear = 1e-5f;
constexpr auto kQuarter = static_cast<float>(std::numbers::pi / 2);

HostTensor matrix(const std::vector<float>& first_rows) {
  std::vector<float> numbers = first_rows;
  numbers.insert(numbers.end(), {0, 0, 1, 0, 0, 0, 0, 1});
  return floats({1, 4, 4}, numbers);
}

// From the ends of the line and the corners of a box, in a crop of 4 x 2 pixels around it.
LandmarksToMatrixAttr crop() {
  LandmarksToMatrixAttr attr;
  attr.left = 0;
  attr.right = 1;
  attr.subset = {2, 3};
  attr.columns = 4;
  attr.rows = 2;
  return attr;
}

void expect_matrix(const LandmarksToMatrixAttr& attr, const std::vector<float>& landmarks,
                   const std::vector<float>& first_rows) {
  const HostTensor expected = matrix(first_rows);
  const auto numbers = expected.as<float>();
  for (const Shape& shape : {Shape{1, 1, 1, 12}, Shape{1, 4, 3}}) {
    expect_floats(evaluate(OpType::kLandmarksToMatrix, attr, {floats(shape, landmarks)}), {1, 4, 4},
                  {numbers.begin(), numbers.end()}, kNear);
  }
}

const std::vector<float> kLevel{0, 5, 9, 7, 5, 9, 0, 0, 9, 4, 2, 9};
const std::vector<float> kUpright{0, 0, 9, 0, 5, 9, 2, 1, 9, 6, 3, 9};
const std::vector<float> kBackwards{5, 0, 9, 0, 0, 9, 0, 0, 9, 4, 2, 9};

TEST(RefLandmarksToMatrix, CropOfTheBoxItself) { expect_matrix(crop(), kLevel, {1, 0, 0, 0, 0, 1, 0, 0}); }

TEST(RefLandmarksToMatrix, CropIsScaledAroundItsCenter) {
  LandmarksToMatrixAttr attr = crop();
  attr.scale_x = 2;
  attr.scale_y = 3;
  expect_matrix(attr, kLevel, {2, 0, 0, -2, 0, 3, 0, -2});
}

// The line points down, as do the rows of the crop: 4 x 2 pixels in the image are 2 x 4 pixels in the crop.
TEST(RefLandmarksToMatrix, CropIsRotated) {
  LandmarksToMatrixAttr attr = crop();
  attr.columns = 2;
  attr.rows = 4;
  expect_matrix(attr, kUpright, {0, -1, 0, 6, 1, 0, 0, 1});
}

TEST(RefLandmarksToMatrix, TargetRotation) {
  LandmarksToMatrixAttr attr = crop();
  attr.target_rotation = kQuarter;
  expect_matrix(attr, kUpright, {1, 0, 0, 2, 0, 1, 0, 1});
}

TEST(RefLandmarksToMatrix, LeftAndRightMayBeSwapped) {
  LandmarksToMatrixAttr attr = crop();
  attr.pixels_x = 2;
  attr.pixels_y = 3;
  expect_matrix(attr, kBackwards, {-2, 0, 0, 8, 0, -3, 0, 6});
  attr.directed = false;
  expect_matrix(attr, kBackwards, {2, 0, 0, 0, 0, 3, 0, 0});
}

TEST(RefLandmarksToMatrix, Rejections) {
  LandmarksToMatrixAttr attr = crop();
  const HostTensor few = floats({1, 3, 3}, std::vector<float>(9));
  EXPECT_NE(refusal(OpType::kLandmarksToMatrix, attr, {few}).message().find("landmark 3 of 3"), std::string::npos);
  attr.subset = {};
  EXPECT_NE(refusal(OpType::kLandmarksToMatrix, attr, {few}).message().find("no landmarks"), std::string::npos);
}

const HostTensor kTurn = matrix({0, -1, 0, 6, 1, 0, 0, 1});

TEST(RefTransformLandmarks, ThirdValueIsUnchanged) {
  const HostTensor in = floats({1, 2, 3}, {1, 2, 9, 3, 0, 8});
  expect_floats(evaluate(OpType::kTransformLandmarks, TransformLandmarksAttr{3, 1}, {in, kTurn}), {1, 2, 3},
                {4, 2, 9, 6, 4, 8});
}

TEST(RefTransformLandmarks, TwoDimensionsAndScale) {
  const HostTensor in = floats({1, 1, 1, 4}, {1, 2, 3, 0});
  expect_floats(evaluate(OpType::kTransformLandmarks, TransformLandmarksAttr{2, 0.5f}, {in, kTurn}), {1, 1, 1, 4},
                {1, 1.5f, 3, 3.5f});
}

TEST(RefTransformLandmarks, Rejections) {
  const HostTensor in = floats({1, 1, 1, 4}, {1, 2, 3, 0});
  for (const int32_t dimensions : {0, 3, 4}) {
    EXPECT_FALSE(refusal(OpType::kTransformLandmarks, TransformLandmarksAttr{dimensions, 1}, {in, kTurn}).ok());
  }
  EXPECT_FALSE(refusal(OpType::kTransformLandmarks, TransformLandmarksAttr{2, 1}, {in, in}).ok());
}

const HostTensor kFour = floats({1, 2, 2, 1}, {1, 2, 3, 4});

void expect_image(const TransformImageAttr& attr, const std::vector<float>& first_rows,
                  const std::vector<float>& expected) {
  expect_floats(evaluate(OpType::kTransformImage, attr, {kFour, matrix(first_rows)}), {1, attr.out_h, attr.out_w, 1},
                expected);
}

TEST(RefTransformImage, IdentityOfAnySize) {
  for (const bool half : {false, true}) {
    expect_image({2, 2, half}, {1, 0, 0, 0, 0, 1, 0, 0}, {1, 2, 3, 4});
    expect_image({1, 3, half}, {1, 0, 0, 0, 0, 1, 0, 0}, {1, 2, 0});
  }
}

TEST(RefTransformImage, QuarterTurn) { expect_image({2, 2, false}, {0, -1, 0, 1, 1, 0, 0, 0}, {2, 4, 1, 3}); }

TEST(RefTransformImage, BetweenPixels) {
  expect_image({2, 2, false}, {1, 0, 0, 0.5f, 0, 1, 0, 0}, {1.5f, 0, 3.5f, 0});
  expect_image({1, 1, false}, {1, 0, 0, 0.25f, 0, 1, 0, 0.5f}, {2.25f});
}

TEST(RefTransformImage, PositionsFromCentersOrCorners) {
  expect_image({1, 1, false}, {2, 0, 0, 0, 0, 2, 0, 0}, {1});
  expect_image({1, 1, true}, {2, 0, 0, 0, 0, 2, 0, 0}, {2.5f});
}

TEST(RefTransformImage, OutsideIsZero) {
  expect_image({1, 2, false}, {1, 0, 0, -0.25f, 0, 1, 0, 0}, {0, 1.75f});
  expect_image({1, 2, false}, {1, 0, 0, 0, 0, 1, 0, 1.25f}, {0, 0});
  expect_image({1, 2, false}, {NAN, 0, 0, 0, 0, 1, 0, 0}, {0, 0});
  expect_image({1, 2, false}, {1, 0, 0, 1e30f, 0, 1, 0, 0}, {0, 0});
}

}  // namespace
}  // namespace sightglass::test

// TFLite_Detection_PostProcess on boxes that are easy to check.
#include "graph/detection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "single_op.h"

namespace sightglass::test {
namespace {

// Four anchors of height and width 2 with centers at x = 1, 1.5, 5, and 9, and y = 1. The first two share 3 of 5 units
// of area: an intersection over union of 0.6.
const HostTensor kAnchors = floats({4, 4}, {1, 1, 2, 2, 1, 1.5f, 2, 2, 1, 5, 2, 2, 1, 9, 2, 2});
const HostTensor kNoOffsets = floats({1, 4, 4}, std::vector<float>(16, 0.0f));

DetectionAttr attributes(int32_t detections, int32_t classes) {
  DetectionAttr attr;
  attr.max_detections = detections;
  attr.classes = classes;
  attr.iou_threshold = 0.5f;
  attr.score_threshold = 0.1f;
  return attr;
}

std::vector<HostTensor> detect(const DetectionAttr& attr, const std::vector<HostTensor>& inputs) {
  return evaluate_all(OpType::kDetectionPostprocess, attr, inputs, detection::kOutputs);
}

TEST(RefDetection, ABetterBoxSuppressesOverlappingBoxes) {
  const HostTensor scores = floats({1, 4, 1}, {0.5f, 0.75f, 0.25f, 0.0625f});
  const auto out = detect(attributes(3, 1), {kNoOffsets, scores, kAnchors});
  expect_floats(out[detection::kOutBoxes], {1, 3, 4}, {0, 0.5f, 2, 2.5f, 0, 4, 2, 6, 0, 0, 0, 0});
  expect_floats(out[detection::kOutClasses], {1, 3}, {0, 0, 0});
  expect_floats(out[detection::kOutScores], {1, 3}, {0.75f, 0.25f, 0});
  expect_floats(out[detection::kOutNumber], {1}, {2});
}

TEST(RefDetection, EqualsKeepTheirOrder) {
  const HostTensor scores = floats({1, 4, 1}, {0.5f, 0.5f, 0.5f, 0.5f});
  const auto out = detect(attributes(4, 1), {kNoOffsets, scores, kAnchors});
  expect_floats(out[detection::kOutBoxes], {1, 4, 4}, {0, 0, 2, 2, 0, 4, 2, 6, 0, 8, 2, 10, 0, 0, 0, 0});
}

TEST(RefDetection, BoxesAreDecodedWithTheirScales) {
  DetectionAttr attr = attributes(1, 1);
  attr.y_scale = 2;
  attr.x_scale = 4;
  attr.h_scale = 5;
  attr.w_scale = 10;
  // Half a height down, a quarter of a width right, twice as high, half as wide. A fifth value is ignored.
  const float higher = 5 * std::log(2.0f), narrower = 10 * std::log(0.5f);
  const HostTensor offsets = floats({1, 1, 5}, {1, 1, higher, narrower, 7});
  const auto out = detect(attr, {offsets, floats({1, 1, 2}, {0.9f, 0.5f}), floats({1, 4}, {1, 1, 2, 2})});
  expect_floats(out[detection::kOutBoxes], {1, 1, 4}, {0, 1, 4, 2}, 1e-5f);
  expect_floats(out[detection::kOutScores], {1, 1}, {0.5f});  // the preceding score is that of no object
}

TEST(RefDetection, SeveralClassesPerBox) {
  DetectionAttr attr = attributes(2, 3);
  attr.max_classes = 2;
  const HostTensor scores = floats({1, 4, 3}, {0.1f, 0.3f, 0.2f, 0, 0, 0, 0.5f, 0.4f, 0.5f, 0, 0, 0});
  const auto out = detect(attr, {kNoOffsets, scores, kAnchors});
  expect_floats(out[detection::kOutClasses], {1, 4}, {0, 2, 1, 2});
  expect_floats(out[detection::kOutScores], {1, 4}, {0.5f, 0.5f, 0.3f, 0.2f});
  expect_floats(out[detection::kOutNumber], {1}, {2});
}

TEST(RefDetection, RegularSuppressionIsPerClass) {
  DetectionAttr attr = attributes(3, 2);
  attr.regular = true;
  attr.per_class = 2;
  // Boxes 0 and 1 overlap, but each is the best of one class.
  const HostTensor scores = floats({1, 4, 2}, {0.9f, 0.2f, 0.8f, 0.7f, 0.3f, 0.15f, 0.6f, 0.125f});
  const auto out = detect(attr, {kNoOffsets, scores, kAnchors});
  expect_floats(out[detection::kOutClasses], {1, 3}, {0, 1, 0});
  expect_floats(out[detection::kOutScores], {1, 3}, {0.9f, 0.7f, 0.6f});
  expect_floats(out[detection::kOutNumber], {1}, {3});
}

}  // namespace
}  // namespace sightglass::test

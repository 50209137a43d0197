// TFLite_Detection_PostProcess, PosenetDecoderOp on 5 x 6 cells of 10 pixels, and TOPK_V2, on inputs that are easy to
// check.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/graph.h"
#include "graph/posenet.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
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

constexpr int32_t kRows = 5, kColumns = 6;
constexpr float kStride = 10;

struct Maps {
  std::vector<HostTensor> tensors;

  Maps() {
    for (const int32_t channels : posenet::kChannels)
      tensors.emplace_back(DataType::kFloat32, Shape{1, kRows, kColumns, channels});
    for (float& logit : tensors[posenet::kScores].as<float>()) logit = -10;
  }
  float& at(size_t map, int row, int column, int channel) {
    const auto at = static_cast<size_t>((row * kColumns + column) * posenet::kChannels[map] + channel);
    return tensors[map].as<float>()[at];
  }
  void fill(size_t map, int first_channel, float value) {
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        for (int c = first_channel; c < posenet::kChannels[map]; ++c) at(map, row, column, c) = value;
      }
    }
  }
};

PosenetDecoderAttr attributes(int32_t poses = 4) { return {poses, 0.2f, static_cast<int32_t>(kStride), 20}; }

std::vector<HostTensor> decode(const Maps& maps, const PosenetDecoderAttr& attr, bool masks = false) {
  const auto begin = maps.tensors.begin();
  return evaluate_all(OpType::kPosenetDecoder, attr, {begin, begin + (masks ? 4 : 3)}, masks ? 5 : 4);
}

// Every keypoint is likely in one cell, without offsets, so all points of the pose are in that cell.
TEST(RefPosenet, APoseInOneCell) {
  Maps maps;
  for (int k = 0; k < posenet::kKeypoints; ++k) maps.at(posenet::kScores, 2, 3, k) = 1;
  const auto out = decode(maps, attributes());
  EXPECT_EQ(out[posenet::kOutCount].as<float>()[0], 1);
  for (size_t k = 0; k < 17; ++k) {
    EXPECT_EQ(out[posenet::kOutKeypoints].as<float>()[2 * k], 20) << k;
    EXPECT_EQ(out[posenet::kOutKeypoints].as<float>()[2 * k + 1], 30) << k;
    EXPECT_NEAR(out[posenet::kOutKeypointScores].as<float>()[k], sigmoid(1), 1e-6);
  }
  EXPECT_NEAR(out[posenet::kOutPoseScores].as<float>()[0], sigmoid(1), 1e-6);
  EXPECT_EQ(out[posenet::kOutPoseScores].as<float>()[1], 0);  // no pose
  EXPECT_EQ(out[posenet::kOutKeypoints].as<float>()[2 * 17], 0);
}

// The nose is the root. The first forward edge leads 15 pixels to the right, to the left eye. There, half of the short
// offsets of two cells leads 2 pixels down, and the refinement repeats from that position.
TEST(RefPosenet, FollowsEdgesAndRefines) {
  Maps maps;
  maps.at(posenet::kScores, 2, 1, 0) = 5;
  for (int column = 2; column <= 3; ++column) maps.at(posenet::kScores, 2, column, 1) = 4;
  maps.at(posenet::kShortOffsets, 2, 1, 17) = 2;                      // the nose is 2 pixels to the right
  for (int c : {1, 2}) maps.at(posenet::kMidOffsets, 2, c, 16) = 13;  // x of edge 0
  for (int c : {2, 3}) maps.at(posenet::kShortOffsets, 2, c, 1) = 1;  // y of the left eye
  PosenetDecoderAttr attr = attributes();
  attr.score_threshold = 0.05f;
  const auto out = decode(maps, attr);
  const auto points = out[posenet::kOutKeypoints].as<float>();
  EXPECT_NEAR(points[0], 20, 1e-5);
  EXPECT_NEAR(points[1], 12, 1e-5);
  // y: 1, then nine tenths of the rest in each of four more steps.
  double y = 20;
  for (int i = 0; i < 5; ++i) y += 1 * (1 - (y - 20) / 10);
  EXPECT_NEAR(points[2], y, 1e-4);
  EXPECT_NEAR(points[3], 25, 1e-5);
}

// The path up the skeleton, from an ankle to the nose, uses the channels after the forward ones.
TEST(RefPosenet, GoesBackAlongEdges) {
  Maps maps;
  maps.at(posenet::kScores, 1, 1, 16) = 6;  // the right ankle, edge 15 from the knee
  maps.fill(posenet::kMidOffsets, 0, 0);
  maps.at(posenet::kMidOffsets, 1, 1, 32 + 15) = -10;
  maps.at(posenet::kMidOffsets, 1, 1, 48 + 15) = 20;
  PosenetDecoderAttr attr = attributes(1);
  attr.score_threshold = 0.01f;
  const auto out = decode(maps, attr);
  ASSERT_EQ(out[posenet::kOutCount].as<float>()[0], 1);
  const auto points = out[posenet::kOutKeypoints].as<float>();
  EXPECT_EQ(points[2 * 16], 10);
  EXPECT_EQ(points[2 * 14], 0);
  EXPECT_EQ(points[2 * 14 + 1], 30);
  EXPECT_EQ(points[1], 30);  // the nose follows without offsets
}

TEST(RefPosenet, TwoPosesAndDuplicates) {
  Maps maps;
  for (int k = 0; k < posenet::kKeypoints; ++k) {
    maps.at(posenet::kScores, 1, 0, k) = 1;
    maps.at(posenet::kScores, 4, 5, k) = 2;
    maps.at(posenet::kScores, 1, 2, k) = 0.5f;  // 20 pixels from the first one
  }
  const auto out = decode(maps, attributes());
  ASSERT_EQ(out[posenet::kOutCount].as<float>()[0], 2);
  const auto points = out[posenet::kOutKeypoints].as<float>();
  EXPECT_EQ(points[0], 40);  // the likelier one first
  EXPECT_EQ(points[1], 50);
  EXPECT_EQ(points[34], 10);
  EXPECT_EQ(points[35], 0);
  PosenetDecoderAttr narrow = attributes();
  narrow.nms_radius = 19;
  EXPECT_EQ(decode(maps, narrow)[posenet::kOutCount].as<float>()[0], 3);
  EXPECT_EQ(decode(maps, attributes(1))[posenet::kOutCount].as<float>()[0], 1);
}

// If neighboring cells have equal scores, both are local maxima. The first one is the pose.
TEST(RefPosenet, PlateausAndEmptyResults) {
  Maps maps;
  EXPECT_EQ(decode(maps, attributes())[posenet::kOutCount].as<float>()[0], 0);
  maps.fill(posenet::kScores, 0, 1);
  const auto out = decode(maps, attributes(1));
  ASSERT_EQ(out[posenet::kOutCount].as<float>()[0], 1);
  EXPECT_EQ(out[posenet::kOutKeypoints].as<float>()[0], 0);
  PosenetDecoderAttr never = attributes();
  never.score_threshold = 1;
  EXPECT_EQ(decode(maps, never)[posenet::kOutCount].as<float>()[0], 0);
}

// A cell belongs to the pose that its long offsets lead to.
TEST(RefPosenet, Masks) {
  Maps maps;
  for (int k = 0; k < posenet::kKeypoints; ++k) {
    maps.at(posenet::kScores, 2, 0, k) = 2;
    maps.at(posenet::kScores, 2, 5, k) = 1;
  }
  for (int k = 0; k < posenet::kKeypoints; ++k) maps.at(posenet::kLongOffsets, 0, 4, 17 + k) = -40;
  const auto out = decode(maps, attributes(3), true);
  const auto masks = out[posenet::kOutMasks].as<float>();
  const auto owner = [&](int row, int column) {
    int found = -1;
    for (int pose = 0; pose < 3; ++pose) {
      if (masks[static_cast<size_t>((pose * kRows + row) * kColumns + column)] == 1) found = found < 0 ? pose : 9;
    }
    return found;
  };
  EXPECT_EQ(owner(2, 0), 0);
  EXPECT_EQ(owner(0, 2), 0);
  EXPECT_EQ(owner(0, 3), 1);
  EXPECT_EQ(owner(0, 4), 0);  // by its offsets
  EXPECT_EQ(owner(4, 5), 1);
  const auto nobody = decode(Maps(), attributes(3), true);
  for (const float v : nobody[posenet::kOutMasks].as<float>()) EXPECT_EQ(v, 0);
}

Result<std::vector<HostTensor>> top_k(const HostTensor& in, int32_t k) {
  Graph graph;
  Node node;
  node.op = OpType::kTopK;
  node.attributes = TopKAttr{k};
  const auto add = [&graph](DataType type, const Shape& shape) {
    Value value;
    value.type = type;
    value.shape = shape;
    return graph.add_value(std::move(value));
  };
  Shape picked = in.shape;
  picked.set_dim(picked.rank() - 1, k);
  node.inputs = {add(in.type, in.shape)};
  node.outputs = {add(in.type, picked), add(DataType::kInt32, picked)};
  return ref::evaluate(graph, node, {&in});
}

void expect_top(const HostTensor& in, const Shape& shape, const std::vector<float>& elements,
                const std::vector<int64_t>& places) {
  const auto picked = value_of(top_k(in, shape.dim(shape.rank() - 1)));
  expect_floats(picked[0], shape, elements);
  expect_integers(picked[1], DataType::kInt32, shape, places);
}

TEST(RefTopK, LargestFirstInEveryRow) {
  expect_top(floats({2, 4}, {1, 4, -2, 3, 0, -1, -5, -3}), {2, 2}, {4, 3, 0, -1}, {1, 3, 0, 1});
}

TEST(RefTopK, EqualValuesAreInIndexOrder) { expect_top(floats({5}, {2, 7, 2, 7, 2}), {4}, {7, 7, 2, 2}, {1, 3, 0, 2}); }

TEST(RefTopK, NanComesLast) { expect_top(floats({3}, {NAN, -1, 5}), {3}, {5, -1, NAN}, {2, 1, 0}); }

TEST(RefTopK, BytesAreComparedUnchanged) {
  const HostTensor in = numbers<uint8_t>(DataType::kUInt8, {3}, {3, 200, 100});
  const auto picked = value_of(top_k(in, 2));
  expect_integers(picked[1], DataType::kInt32, {2}, {1, 2});
}

TEST(RefTopK, AskingForTooManyIsAnError) { expect_failure(top_k(floats({3}, {1, 2, 3}), 4), {"no 4 elements"}); }

}  // namespace
}  // namespace sightglass::test

// PosenetDecoderOp on maps that can be checked by hand: 5 x 6 cells of 10 pixels.
#include "graph/posenet.h"

#include <gtest/gtest.h>

#include "single_op.h"

namespace sightglass::test {
namespace {

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

}  // namespace
}  // namespace sightglass::test

// The figure without GL: the scene is a function of seed and time, bones are rigid, and joints bend like those of
// people.
#include <gtest/gtest.h>

#include "figure/scene.h"
#include "figure/shaders.h"

namespace sightglass::figure {
namespace {

constexpr uint32_t kSeeds = 200;

Scene scene_at(uint32_t seed, double seconds, std::optional<Framing> framing = {}) {
  return Scene::at({seed, seconds, 7, framing}, 4.0F / 3, 480);
}

Scene fine_scene_at(uint32_t seed, double seconds) {
  return Scene::at({seed, seconds, 7, {}, Detail::kFine}, 4.0F / 3, 480);
}

bool same(const Scene& a, const Scene& b) {
  bool equal = a.figure == b.figure && a.camera == b.camera && a.backdrop.far == b.backdrop.far &&
               a.behind == b.behind && a.before == b.before && a.key_points == b.key_points && a.strands == b.strands;
  for (size_t list = 0; list < Lofts::kLists; ++list) {
    const auto name = static_cast<Lofts::List>(list);
    equal = equal && a.lofts.rings(name) == b.lofts.rings(name);
  }
  return equal;
}

TEST(FigureScene, IsAFunctionOfSeedAndTime) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const Scene first = scene_at(seed, 1.25);
    EXPECT_TRUE(same(first, scene_at(seed, 1.25))) << seed;
    EXPECT_FALSE(same(first, scene_at(seed + 1, 1.25))) << seed;
    EXPECT_FALSE(same(first, scene_at(seed, 1.35))) << seed;
  }
}

TEST(FigureScene, FineDetailIsAFunctionOfSeedAndTimeToo) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(same(fine_scene_at(seed, 1.25), fine_scene_at(seed, 1.25))) << seed;
  }
}

// It adds what is hard to cut out, and moves nothing.
TEST(FigureScene, FineDetailAddsToThePlainOne) {
  uint32_t with_hairs = 0, with_sheer_sleeves = 0, with_lenses = 0;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Scene plain = scene_at(seed, 0.5), fine = fine_scene_at(seed, 0.5);
    ASSERT_TRUE(plain.strands.empty()) << seed;
    for (const Lofts::List list : {Lofts::kSheer, Lofts::kLenses}) ASSERT_TRUE(plain.lofts.rings(list).empty()) << seed;
    for (const Lofts::List list : {Lofts::kTorso, Lofts::kFace, Lofts::kHair, Lofts::kHands, Lofts::kTrousers}) {
      ASSERT_EQ(plain.lofts.rings(list), fine.lofts.rings(list)) << seed;
    }
    ASSERT_EQ(plain.key_points, fine.key_points) << seed;
    ASSERT_EQ(fine.strands.empty(), fine.lofts.rings(Lofts::kHair).empty()) << seed;
    ASSERT_LE(fine.strands.size(), static_cast<size_t>(kMostStrands)) << seed;
    for (size_t list = 0; list < Lofts::kLists; ++list) {
      ASSERT_LE(fine.lofts.rings(static_cast<Lofts::List>(list)).size(), Lofts::kMostRings) << seed;
    }
    with_hairs += fine.strands.empty() ? 0 : 1;
    with_sheer_sleeves += fine.lofts.rings(Lofts::kSheer).empty() ? 0 : 1;
    with_lenses += fine.lofts.rings(Lofts::kLenses).empty() ? 0 : 1;
    ASSERT_EQ(fine.lofts.rings(Lofts::kLenses).empty(), fine.appearance.glasses == Glasses::kNone) << seed;
  }
  EXPECT_GT(with_hairs, kSeeds / 2);
  EXPECT_GT(with_sheer_sleeves, kSeeds / 20);
  EXPECT_GT(with_lenses, kSeeds / 20);
}

// No hair is longer than a head and a half, or begins far from the hair.
TEST(FigureScene, HairsGrowOnTheHead) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Scene scene = fine_scene_at(seed, 0.5);
    const float head = 2 * scene.body.head;
    for (const Strand& strand : scene.strands) {
      ASSERT_LT(length(strand.root.place - scene.bones.head), 4 * head) << seed;
      ASSERT_LT(length(strand.tip.place - strand.root.place), 1.5F * head) << seed;
      ASSERT_GT(strand.root.value, 0) << seed;
    }
  }
}

TEST(FigureScene, BonesKeepTheirLengths) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Body body = Body::of(seed);
    for (int i = 0; i < 16; ++i) {
      const double time = 0.37 * i;
      const Skeleton bones = Skeleton::of(body, Pose::of(seed, time, seed % 2 == 0));
      for (size_t side = 0; side < 2; ++side) {
        const auto& arm = bones.arms[side].joints;
        const auto& leg = bones.legs[side].joints;
        ASSERT_NEAR(length(arm[1] - arm[0]), body.upper_arm, 1e-4F) << seed;
        ASSERT_NEAR(length(arm[2] - arm[1]), body.forearm, 1e-4F) << seed;
        ASSERT_NEAR(length(leg[1] - leg[0]), body.thigh, 1e-4F) << seed;
        ASSERT_NEAR(length(leg[2] - leg[1]), body.shin, 1e-4F) << seed;
      }
      ASSERT_NEAR(length(bones.neck - bones.chest), body.spine * 0.45F, 1e-4F) << seed;
    }
  }
}

TEST(FigureScene, JointsStayWithinTheirLimits) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    for (int i = 0; i < 22; ++i) {
      const double time = 0.41 * i;
      const Pose pose = Pose::of(seed, time, seed % 3 != 0);
      ASSERT_LE(std::abs(pose.head_yaw), 60) << seed;
      ASSERT_GE(pose.head_pitch, -30) << seed;
      ASSERT_LE(pose.head_pitch, 35) << seed;
      ASSERT_LE(std::abs(pose.lean), 55) << seed;
      for (const ArmPose& arm : pose.arms) {
        ASSERT_GE(arm.elbow, 0) << seed;
        ASSERT_LE(arm.elbow, 150) << seed;
        ASSERT_GE(arm.abduction, -10) << seed;
        ASSERT_LE(arm.abduction, 180) << seed;
        ASSERT_GE(arm.flexion, -40) << seed;
        ASSERT_LE(arm.flexion, 110) << seed;
      }
      for (const LegPose& leg : pose.legs) {
        ASSERT_GE(leg.knee, 0) << seed;
        ASSERT_LE(leg.knee, 125) << seed;
      }
    }
  }
}

TEST(FigureScene, FeetStandOnTheFloor) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Skeleton bones = scene_at(seed, 0.7 * seed, Framing::kFull).bones;
    EXPECT_NEAR(std::min(bones.legs[0].joints[2].y, bones.legs[1].joints[2].y), 0.07F, 1e-4F) << seed;
  }
}

TEST(FigureScene, MovesSmoothly) {
  constexpr double kStep = 1.0 / 30;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const Body body = Body::of(seed);
    Skeleton before = Skeleton::of(body, Pose::of(seed, 0, true));
    float moved = 0;
    for (int frame = 1; frame < 240; ++frame) {
      const Skeleton now = Skeleton::of(body, Pose::of(seed, frame * kStep, true));
      for (size_t side = 0; side < 2; ++side) {
        const float step = length(now.arms[side].joints[2] - before.arms[side].joints[2]);
        ASSERT_LT(step, 0.2F) << "seed " << seed << " frame " << frame;  // 6 m/s
        moved += step;
      }
      before = now;
    }
    EXPECT_GT(moved, 0.1F) << seed;
  }
}

TEST(FigureScene, FitsTheShaderBlocks) {
  EXPECT_EQ(sizeof(FigureBlock) % 16, 0U);
  EXPECT_LE(sizeof(FigureBlock), 16384U);
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const Scene scene = scene_at(seed, 0.5);
    for (size_t list = 0; list < Lofts::kLists; ++list) {
      const auto& rings = scene.lofts.rings(static_cast<Lofts::List>(list));
      ASSERT_LE(rings.size(), Lofts::kMostRings) << seed;
      if (!rings.empty()) {
        ASSERT_EQ(rings.back().material, -1) << seed;
      }
    }
    ASSERT_LE(scene.backdrop.far.size(), Backdrop::kMostCards) << seed;
    for (const Card& card : scene.backdrop.far) {
      ASSERT_GE(card_kind(card), 0);
      ASSERT_LT(card_kind(card), kCardKinds);
    }
    for (const KeyPoint& point : scene.key_points)
      ASSERT_TRUE(std::isfinite(point.x) && std::isfinite(point.y)) << seed;
  }
}

TEST(FigureScene, FramingsShowTheRightPart) {
  const auto share_seen = [](Framing framing, std::initializer_list<KeyPointIndex> points) {
    int seen = 0, all = 0;
    for (uint32_t seed = 0; seed < kSeeds; ++seed) {
      const Scene scene = scene_at(seed, 0, framing);
      EXPECT_EQ(scene.framing, framing);
      for (const KeyPointIndex point : points) {
        seen += scene.key_points[point].visibility != Visibility::kOutside ? 1 : 0;
        ++all;
      }
    }
    return static_cast<double>(seen) / all;
  };
  const auto face = {kNose, kLeftEye, kRightEye}, ankles = {kLeftAnkle, kRightAnkle},
             shoulders = {kLeftShoulder, kRightShoulder};
  EXPECT_GT(share_seen(Framing::kSelfie, face), 0.9);
  EXPECT_GT(share_seen(Framing::kSelfie, shoulders), 0.6);
  EXPECT_LT(share_seen(Framing::kSelfie, ankles), 0.02);
  EXPECT_GT(share_seen(Framing::kHalf, face), 0.95);
  EXPECT_GT(share_seen(Framing::kHalf, shoulders), 0.95);
  EXPECT_GT(share_seen(Framing::kFull, face), 0.95);
  EXPECT_GT(share_seen(Framing::kFull, ankles), 0.8);
}

// In an image, the left side of the figure is on the right, and its head is above its hips.
TEST(FigureScene, LeftIsTheLeftOfTheFigure) {
  int right = 0, above = 0;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const Scene scene = scene_at(seed, 0, Framing::kHalf);
    right += scene.key_points[kLeftShoulder].x > scene.key_points[kRightShoulder].x ? 1 : 0;
    above += scene.key_points[kNose].y < scene.key_points[kLeftHip].y ? 1 : 0;
  }
  EXPECT_GT(right, static_cast<int>(kSeeds) * 95 / 100);
  EXPECT_EQ(above, static_cast<int>(kSeeds));
}

}  // namespace
}  // namespace sightglass::figure

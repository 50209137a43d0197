// glpose with several people: each is found once, nothing else is found, and IDs stay while people overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "figure_truth.h"
#include "seen_results.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

struct Nose {
  float x, y;
};
struct Group {
  std::string file;         // in ../shared
  std::vector<Nose> noses;  // in fractions of the frame
};

class People : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shared_directory().empty()) GTEST_SKIP() << "needs BlazePose and photographs from ../shared";
    init_gstreamer();
  }
  static std::string blazepose(const std::string& options) {
    return "glpose name=segment results=meta model=" + shared_directory() +
           "/models/pose/blazepose_landmark_lite.tflite " + options;
  }
};

// From the first frame to one after the detector has looked at all parts of the frame.
TEST_F(People, EveryoneInAPhotographIsFoundOnceAndNothingElse) {
  const Group groups[] = {
      {"second/media/mp_three_people.jpg", {{0.18F, 0.17F}, {0.835F, 0.17F}, {0.385F, 0.555F}}},
      {"second/media/two_people_whitehouse.jpg", {{0.28F, 0.21F}, {0.775F, 0.255F}}},
      {"media/mp_portrait.jpg", {{0.475F, 0.23F}}},
      {"media/mp_pose.jpg", {{0.467F, 0.42F}}},
      {"media/cats_and_dogs.jpg", {}},
      {"media/burger.jpg", {}},
  };
  for (const Group& group : groups) {
    const Rgba picture = load_picture(shared_directory() + "/" + group.file);
    ASSERT_GT(picture.width, 0) << group.file;
    TestPipeline pipeline(blazepose("max-persons=4"));
    NewestResults probe(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    float farthest = 0;
    for (int frame = 0; frame < 14; ++frame) {
      ASSERT_TRUE(pipeline.pass(picture)) << pipeline.error(1);
      if (probe.count == 0) continue;
      ASSERT_EQ(probe.objects.size(), group.noses.size()) << group.file << ", frame " << frame;
      for (size_t i = 0; i < group.noses.size(); ++i) {
        float nearest = 1;
        for (const SeenObject& person : probe.objects) {
          EXPECT_LE(person.id, group.noses.size()) << group.file << ", frame " << frame;
          nearest = std::min(nearest,
                             std::hypot(person.points[0].x - group.noses[i].x, person.points[0].y - group.noses[i].y));
        }
        farthest = std::max(farthest, nearest);
      }
    }
    std::printf("%s: %zu people, noses within %.3f of the frame\n", group.file.c_str(), probe.objects.size(), farthest);
    EXPECT_GT(probe.count, 8) << group.file;
    EXPECT_LT(farthest, 0.04F) << group.file;
  }
}

// A rendered figure without its background.
struct Cutout {
  Rgba color, alpha;
  SightglassKeyPoint nose;

  explicit Cutout(const std::string& properties)
      : color(draw(properties, "foreground")), alpha(draw(properties, "alpha")) {
    nose = draw_figure(kWidth, kHeight, properties).key_points[0];
  }
  static Rgba draw(const std::string& properties, const char* output) {
    return draw_figure(kWidth, kHeight, properties + " output=" + output).picture;
  }
  // Over the picture, moved to the right.
  void paste(Rgba& picture, int32_t shift) const {
    for (int32_t y = 0; y < kHeight; ++y) {
      for (int32_t x = std::max(shift, 0); x < std::min(kWidth + shift, kWidth); ++x) {
        const int opacity = *alpha.at(x - shift, y);
        for (int i = 0; i < 3; ++i) {
          uint8_t& value = picture.at(x, y)[i];
          value = static_cast<uint8_t>((opacity * color.at(x - shift, y)[i] + (255 - opacity) * value) / 255);
        }
      }
    }
  }
  static constexpr int32_t kWidth = 640, kHeight = 480;
};

// One figure passes in front of the other, and hides it for some frames.
TEST_F(People, FiguresThatCrossKeepTheirIds) {
  constexpr int kFrames = 60;
  const Cutout front("seed=2000010 framing=full"), behind("seed=2000013 framing=full");
  Rgba room(Cutout::kWidth, Cutout::kHeight);
  std::ranges::fill(room.pixels, uint8_t{150});
  TestPipeline pipeline(blazepose("max-persons=2"));
  NewestResults probe(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  const std::array<const Cutout*, 2> figures{&front, &behind};
  std::vector<std::array<float, 2>> noses;
  std::array<guint, 2> ids{};
  int wrong = 0, missing = 0, results = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    const float way = 0.25F * (2 * static_cast<float>(frame) / (kFrames - 1) - 1);
    std::array<int32_t, 2> shifts{};
    for (size_t i = 0; i < 2; ++i) {
      const float x = 0.5F + (i == 0 ? way : -way);
      shifts[i] = static_cast<int32_t>(std::lround((x - figures[i]->nose.x) * Cutout::kWidth));
    }
    Rgba picture = room;
    behind.paste(picture, shifts[1]);
    front.paste(picture, shifts[0]);
    noses.push_back({0.5F + way, 0.5F - way});
    const int before = probe.count;
    ASSERT_TRUE(pipeline.pass(picture)) << pipeline.error(1);
    if (probe.count == before) continue;
    const auto& there = noses[static_cast<size_t>(probe.frame)];
    ++results;
    const bool apart = std::abs(there[0] - there[1]) > 0.1F;
    std::array<bool, 2> seen{};
    for (const SeenObject& person : probe.objects) {
      const size_t who = std::abs(person.points[0].x - there[0]) < std::abs(person.points[0].x - there[1]) ? 0 : 1;
      if (!apart) continue;
      seen[who] = true;
      if (ids[who] == 0) ids[who] = person.id;
      wrong += person.id != ids[who] ? 1 : 0;
    }
    if (apart) missing += (seen[0] ? 0 : 1) + (seen[1] ? 0 : 1);
  }
  std::printf("%d frames, %d wrong IDs, %d missing\n", results, wrong, missing);
  EXPECT_GT(results, kFrames / 2);
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(missing, 6);
  EXPECT_NE(ids[0], ids[1]);
}

}  // namespace
}  // namespace sightglass::test

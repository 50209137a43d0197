// glinfer with a detector and a landmark model: hands, faces and eyes in photographs, and their IDs across frames.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "seen_results.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr const char* kNoModels = "no models next to the source tree";

class Landmarks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shared_directory().empty()) GTEST_SKIP() << kNoModels;
    init_gstreamer();
  }
  static std::string second(const std::string& name) {
    return shared_directory() + "/second/models/" + name + ".tflite";
  }
  static std::string face_model(const std::string& name) {
    return shared_directory() + "/models/face/" + name + ".tflite";
  }
  static Rgba photograph(const std::string& name) { return load_picture(shared_directory() + "/" + name); }

  // Returns the last of `frames` output frames of the image.
  std::optional<Rgba> pass(TestPipeline& pipeline, const Rgba& picture, int frames = 3) {
    std::optional<Rgba> shown;
    for (int i = 0; i < frames; ++i) shown = pipeline.pass(picture);
    EXPECT_TRUE(shown) << pipeline.error(1);
    return shown;
  }
  static void keep(const std::optional<Rgba>& picture, const std::string& name) {
    const char* folder = std::getenv("SIGHTGLASS_KEEP_PICTURES");
    if (folder != nullptr && picture) save_png(*picture, std::string(folder) + "/" + name);
  }
};

// The tips of the five fingers, from the thumb on, and the wrist; in pixels of the photograph.
struct Hand {
  std::array<std::array<float, 2>, 5> tips;
  std::array<float, 2> wrist;
};
constexpr Hand kUpright{{{{322, 205}, {258, 55}, {185, 22}, {123, 40}, {69, 90}}}, {140, 360}};
constexpr Hand kUpsideDown{{{{395, 172}, {462, 325}, {535, 358}, {596, 340}, {650, 292}}}, {590, 25}};

// The maximum distance of the found tips and wrist from those of a hand, in pixels.
float distance(const SeenObject& seen, const Hand& hand, const Rgba& picture) {
  const auto to = [&](size_t point, const std::array<float, 2>& place) {
    return std::hypot(seen.points[point].x * static_cast<float>(picture.width) - place[0],
                      seen.points[point].y * static_cast<float>(picture.height) - place[1]);
  };
  float greatest = to(0, hand.wrist);
  for (size_t finger = 0; finger < 5; ++finger) {
    greatest = std::max(greatest, to(4 * finger + 4, hand.tips[finger]));
  }
  return greatest;
}

TEST_F(Landmarks, HandsFollowAPalm) {
  const Rgba hands = photograph("media/mp_hands.jpg");
  TestPipeline pipeline("glinfer name=segment max-results=2 results=meta model=" + second("hand_landmark_2020") +
                        " detector=" + second("palm_detection_full_192"));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  keep(pass(pipeline, hands), "hands.png");
  ASSERT_EQ(seen.objects.size(), 2U);
  for (const Hand& hand : {kUpright, kUpsideDown}) {
    const float nearest = std::min(distance(seen.objects[0], hand, hands), distance(seen.objects[1], hand, hands));
    std::printf("fingertips and wrist within %.1f pixels\n", nearest);
    EXPECT_LT(nearest, 30);
  }
  for (const SeenObject& hand : seen.objects) {
    ASSERT_EQ(hand.points.size(), 21U);
    EXPECT_EQ(hand.label, "left_hand") << "its back is visible, with the thumb on the right";
    EXPECT_EQ(hand.points[0].name, "wrist");
  }
  EXPECT_NE(seen.objects[0].id, seen.objects[1].id);
  EXPECT_LE(std::max(seen.objects[0].id, seen.objects[1].id), 2U) << "no hand is found twice";
}

// The mirror image of a left hand is a right one.
TEST_F(Landmarks, HandsAreLeftOrRight) {
  const Rgba hands = photograph("media/mp_hands.jpg");
  TestPipeline pipeline("glinfer name=segment video-direction=horiz results=meta model=" +
                        second("hand_landmark_2020") + " detector=" + second("palm_detection_full_192"));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  pass(pipeline, hands);
  ASSERT_EQ(seen.objects.size(), 1U) << "one hand unless max-results is set";
  EXPECT_EQ(seen.objects[0].label, "right_hand");
}

// Compares the tips of the noses, in fractions of the photograph.
TEST_F(Landmarks, SeveralFacesKeepTheirIds) {
  const Rgba people = photograph("second/media/mp_three_people.jpg");
  TestPipeline pipeline("glinfer name=segment max-results=3 results=meta model=" + face_model("face_landmark_468_f32") +
                        " detector=" + face_model("face_detection_full_range_sparse"));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  keep(pass(pipeline, people), "three_faces.png");
  ASSERT_EQ(seen.objects.size(), 3U);
  const std::vector<SeenObject> first = seen.objects;
  for (const auto& [x, y] : {std::array{0.178F, 0.172F}, {0.369F, 0.545F}, {0.836F, 0.175F}}) {
    float nearest = 1;
    for (const SeenObject& face : first)
      nearest = std::min(nearest, std::hypot(face.points[1].x - x, face.points[1].y - y));
    std::printf("a nose within %.4f of the frame\n", nearest);
    EXPECT_LT(nearest, 0.025F);
  }
  pass(pipeline, people);
  ASSERT_EQ(seen.objects.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(seen.objects[i].id, first[i].id);
  // After a flush, everyone gets a new ID.
  ASSERT_TRUE(pipeline.flush());
  pass(pipeline, people);
  ASSERT_EQ(seen.objects.size(), 3U);
  EXPECT_GT(seen.objects[0].id, 3U);
  // An empty frame has no faces.
  const Rgba nobody(people.width, people.height);
  const auto empty = pass(pipeline, nobody);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->pixels, nobody.pixels) << "no trace of the previous faces";
  EXPECT_TRUE(seen.objects.empty());
}

// The left eye of a face is a keypoint of BlazeFace.
TEST_F(Landmarks, EyesFollowAFace) {
  const Rgba portrait = photograph("media/mp_portrait.jpg");
  TestPipeline pipeline("glinfer name=segment results=meta model=" + second("iris_landmark") +
                        " detector=" + face_model("face_detection_short_range"));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  keep(pass(pipeline, portrait), "eye.png");
  ASSERT_EQ(seen.objects.size(), 1U);
  EXPECT_EQ(seen.objects[0].label, "eye");
  ASSERT_EQ(seen.objects[0].points.size(), 76U);
  const auto& iris = seen.objects[0].points[71];
  std::printf("iris at %.3f %.3f\n", iris.x, iris.y);
  EXPECT_NEAR(iris.x, 0.562F, 0.02F);
  EXPECT_NEAR(iris.y, 0.172F, 0.02F);
}

// A clip of three people who walk past each other: a detector of faces, tracks, and the emotion of each face, one by
// one or two in one run.
class Emotions : public Landmarks, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Batches, Emotions, ::testing::Values("", "region-batch=2 "),
                         [](const auto& info) { return std::string(*info.param == '\0' ? "OneByOne" : "InPairs"); });

TEST_P(Emotions, ThreePeopleHaveNumbersAndEmotions) {
  const std::string emotions = shared_directory() + "/third/models/fer_emotion.tflite";
  if (!std::filesystem::exists(emotions)) GTEST_SKIP() << "needs third/models/fer_emotion.tflite of ../shared";
  TestPipeline pipeline(
      "glinfer tracking=true draw=false threshold=0.4 model=" + face_model("face_detection_full_range_sparse") +
      " ! glinfer name=segment regions=upstream threshold=0 region-limit=2 region-interval=3 "
      "results=meta " +
      GetParam() + "model=" + emotions);
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  const Rgba portrait = photograph("media/mp_portrait.jpg");
  constexpr int32_t kFace = 240, kWidth = 960, kHeight = 540;
  // Each pixel is one of the photograph.
  const auto paste = [&](Rgba& frame, int32_t left, int32_t top) {
    for (int32_t y = 0; y < kFace; ++y) {
      for (int32_t x = 0; x < kFace; ++x) {
        const int32_t fx = left + x, fy = top + y;
        if (fx < 0 || fy < 0 || fx >= kWidth || fy >= kHeight) continue;
        std::memcpy(frame.at(fx, fy), portrait.at(x * portrait.width / kFace, y * portrait.height / kFace), 4);
      }
    }
  };
  std::map<guint, std::vector<float>> places;  // of the middle of each number's box
  std::map<guint, std::map<gint, float>> classes;
  std::optional<Rgba> shown;
  for (int i = 0; i < 24; ++i) {
    Rgba frame(kWidth, kHeight);
    for (size_t k = 3; k < frame.pixels.size(); k += 4) frame.pixels[k] = 255;
    paste(frame, 20 + 6 * i, 20);
    paste(frame, 360 - 5 * i, 280);
    paste(frame, 680, 140 + 4 * i);
    shown = pipeline.pass(frame);
    ASSERT_TRUE(shown) << pipeline.error();
    for (const SeenObject& object : seen.objects) {
      places[object.id].push_back((object.left + object.right) / 2 * kWidth);
      if (!object.numbered_classes.empty()) classes[object.id] = object.numbered_classes;
    }
  }
  keep(shown, "three_people.png");
  ASSERT_EQ(places.size(), 3u) << "three people, and no number more";
  EXPECT_EQ(classes.size(), 3u);
  for (const auto& [id, middles] : places) {
    EXPECT_GE(middles.size(), 20u) << id;
    for (size_t i = 1; i < middles.size(); ++i) {
      EXPECT_LT(std::abs(middles[i] - middles[i - 1]), 20) << id << ": the number stays with its face";
    }
    ASSERT_EQ(classes[id].size(), 1u) << "the best class";
    std::printf("face %u: class %d, %.2f\n", id, classes[id].begin()->first,
                static_cast<double>(classes[id].begin()->second));
    EXPECT_EQ(classes[id].begin()->first, classes.begin()->second.begin()->first) << "the same photograph";
    EXPECT_NEAR(classes[id].begin()->second, classes.begin()->second.begin()->second, 0.2);
  }
}

}  // namespace
}  // namespace sightglass::test

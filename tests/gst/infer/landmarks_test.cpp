// glinfer with a detector and a landmark model: hands, faces and eyes in photographs, and their IDs across frames.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sightglass/gst/results_meta.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr const char* kNoModels = "no models next to the source tree";

struct Seen {
  std::string label, first_point;
  guint id = 0;
  float confidence = 0;
  std::vector<std::array<float, 2>> points;
};

// Records the last results of a pipeline.
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
  void watch(TestPipeline& pipeline) {
    GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, read, this, nullptr);
    gst_object_unref(pad);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  }
  static void keep(const std::optional<Rgba>& picture, const std::string& name) {
    const char* folder = std::getenv("SIGHTGLASS_KEEP_PICTURES");
    if (folder != nullptr && picture) save_png(*picture, std::string(folder) + "/" + name);
  }

  std::vector<Seen> seen_;

 private:
  static GstPadProbeReturn read(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& seen = static_cast<Landmarks*>(data)->seen_;
    gpointer state = nullptr;
    while (const auto* meta = sightglass_buffer_iterate_results_meta(GST_PAD_PROBE_INFO_BUFFER(info), &state)) {
      seen.clear();
      for (guint i = 0; i < meta->results->objects_count; ++i) {
        const SightglassResultObject& object = meta->results->objects[i];
        Seen one{object.label,
                 object.points[0].name != nullptr ? object.points[0].name : "",
                 object.id,
                 object.confidence,
                 {}};
        for (guint n = 0; n < object.points_count; ++n) one.points.push_back({object.points[n].x, object.points[n].y});
        seen.push_back(one);
      }
    }
    return GST_PAD_PROBE_OK;
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
float distance(const Seen& seen, const Hand& hand, const Rgba& picture) {
  const auto to = [&](size_t point, const std::array<float, 2>& place) {
    return std::hypot(seen.points[point][0] * static_cast<float>(picture.width) - place[0],
                      seen.points[point][1] * static_cast<float>(picture.height) - place[1]);
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
  watch(pipeline);
  keep(pass(pipeline, hands), "hands.png");
  ASSERT_EQ(seen_.size(), 2U);
  for (const Hand& hand : {kUpright, kUpsideDown}) {
    const float nearest = std::min(distance(seen_[0], hand, hands), distance(seen_[1], hand, hands));
    std::printf("fingertips and wrist within %.1f pixels\n", nearest);
    EXPECT_LT(nearest, 30);
  }
  for (const Seen& seen : seen_) {
    ASSERT_EQ(seen.points.size(), 21U);
    EXPECT_EQ(seen.label, "left_hand") << "its back is visible, with the thumb on the right";
    EXPECT_EQ(seen.first_point, "wrist");
  }
  EXPECT_NE(seen_[0].id, seen_[1].id);
  EXPECT_LE(std::max(seen_[0].id, seen_[1].id), 2U) << "no hand is found twice";
}

// The mirror image of a left hand is a right one.
TEST_F(Landmarks, HandsAreLeftOrRight) {
  const Rgba hands = photograph("media/mp_hands.jpg");
  TestPipeline pipeline("glinfer name=segment video-direction=horiz results=meta model=" +
                        second("hand_landmark_2020") + " detector=" + second("palm_detection_full_192"));
  watch(pipeline);
  pass(pipeline, hands);
  ASSERT_EQ(seen_.size(), 1U) << "one hand unless max-results is set";
  EXPECT_EQ(seen_[0].label, "right_hand");
}

// Compares the tips of the noses, in fractions of the photograph.
TEST_F(Landmarks, SeveralFacesKeepTheirIds) {
  const Rgba people = photograph("second/media/mp_three_people.jpg");
  TestPipeline pipeline("glinfer name=segment max-results=3 results=meta model=" + face_model("face_landmark_468_f32") +
                        " detector=" + face_model("face_detection_full_range_sparse"));
  watch(pipeline);
  keep(pass(pipeline, people), "three_faces.png");
  ASSERT_EQ(seen_.size(), 3U);
  const std::vector<Seen> first = seen_;
  for (const auto& [x, y] : {std::array{0.178F, 0.172F}, {0.369F, 0.545F}, {0.836F, 0.175F}}) {
    float nearest = 1;
    for (const Seen& face : first)
      nearest = std::min(nearest, std::hypot(face.points[1][0] - x, face.points[1][1] - y));
    std::printf("a nose within %.4f of the frame\n", nearest);
    EXPECT_LT(nearest, 0.025F);
  }
  pass(pipeline, people);
  ASSERT_EQ(seen_.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(seen_[i].id, first[i].id);
  // After a flush, everyone gets a new ID.
  ASSERT_TRUE(pipeline.flush());
  pass(pipeline, people);
  ASSERT_EQ(seen_.size(), 3U);
  EXPECT_GT(seen_[0].id, 3U);
  // An empty frame has no faces.
  pass(pipeline, Rgba(people.width, people.height));
  EXPECT_TRUE(seen_.empty());
}

// The left eye of a face is a keypoint of BlazeFace.
TEST_F(Landmarks, EyesFollowAFace) {
  const Rgba portrait = photograph("media/mp_portrait.jpg");
  TestPipeline pipeline("glinfer name=segment results=meta model=" + second("iris_landmark") +
                        " detector=" + face_model("face_detection_short_range"));
  watch(pipeline);
  keep(pass(pipeline, portrait), "eye.png");
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].label, "eye");
  ASSERT_EQ(seen_[0].points.size(), 76U);
  const auto& iris = seen_[0].points[71];
  std::printf("iris at %.3f %.3f\n", iris[0], iris[1]);
  EXPECT_NEAR(iris[0], 0.562F, 0.02F);
  EXPECT_NEAR(iris[1], 0.172F, 0.02F);
}

}  // namespace
}  // namespace sightglass::test

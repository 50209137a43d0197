// glinfer on parts of frames: hands, faces and eyes that a detector finds, with their IDs across frames, and objects
// that another element has found.
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

#include "red_picture.h"
#include "seen_results.h"
#include "test_pipeline.h"
#include "tiny_model.h"

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

constexpr int32_t kSize = 96;
constexpr std::array<uint8_t, 3> kRed{255, 0, 0}, kGreen{0, 255, 0};
std::string glinfer(const std::string& properties) { return "glinfer name=segment " + properties; }

// A detector, tracks, and a classifier of each object, also with a thread and a tee between them.
TEST(InferOnObjects, ModelsRunOnTheObjectsOfAnother) {
  for (const char* between : {"", "queue ! ", "tee name=t t. ! queue ! fakesink async=false t. ! queue ! "}) {
    SCOPED_TRACE(between);
    TestPipeline pipeline(
        "glinfer name=first draw=false tracking=true model=" + yolo_model({}) + " ! " + between +
        glinfer("regions=upstream threshold=0 max-results=3 results=meta model=" + red_model(Head::kVector)));
    NewestResults seen(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    for (const int32_t class_id : {0, 1}) {
      const Rgba frame = filled(kSize, kSize, class_id == 0 ? kRed : kGreen);
      std::optional<Rgba> shown;
      const guint id = class_id == 0 ? 1 : 2;
      for (int i = 0; i < 30 && (i < 4 || seen.objects.empty() || seen.objects[0].id != id); ++i) {
        shown = pipeline.pass(frame);
      }
      ASSERT_TRUE(shown) << pipeline.error();
      EXPECT_NE(shown->pixels, frame.pixels) << "drawn by the second one";
      ASSERT_EQ(seen.objects.size(), 1u);
      const SeenObject& object = seen.objects[0];
      EXPECT_EQ(object.id, id);
      EXPECT_NEAR(object.confidence, kYoloScores[class_id], 0.006);
      EXPECT_NEAR(object.left, kYoloBoxes[class_id][0] - kYoloBoxes[class_id][2] / 2, 0.006);
      ASSERT_EQ(object.numbered_classes.size(), 3u);
      // Logits are the mean color of the box.
      for (const int32_t c : {0, 1, 2}) {
        EXPECT_NEAR(object.numbered_classes.at(c), (c == class_id ? std::exp(1.0) : 1) / (std::exp(1.0) + 2), 0.002);
      }
    }
    EXPECT_EQ(pipeline.warning(), "");
  }
}

// Vectors are in all forms of results.
TEST(InferOnObjects, HaveVectors) {
  TestPipeline pipeline("glinfer draw=false tracking=true model=" + yolo_model({}) + " ! " +
                        glinfer("regions=upstream decoder=vector results=both model=" + red_model(Head::kVector)));
  std::vector<float> in_meta, in_region;
  on_buffers(pipeline.element(), "src", [&](GstBuffer* buffer) {
    gpointer state = nullptr;
    while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state)) {
      if (meta->results->objects_count == 0) continue;
      const SightglassObjectVector& vector = meta->results->objects_vectors[0];
      in_meta.assign(vector.values, vector.values + vector.values_count);
      const auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(
          gst_buffer_get_meta(buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
      const GstStructure* structure =
          gst_video_region_of_interest_meta_get_param(const_cast<GstVideoRegionOfInterestMeta*>(region), "vector");
      ASSERT_NE(structure, nullptr);
      const GValue* values = gst_structure_get_value(structure, "values");
      in_region.clear();
      for (guint i = 0; i < gst_value_array_get_size(values); ++i) {
        in_region.push_back(static_cast<float>(g_value_get_double(gst_value_array_get_value(values, i))));
      }
    }
  });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  for (int i = 0; i < 30 && in_meta.empty(); ++i) pipeline.shown(filled(kSize, kSize, kRed));
  ASSERT_EQ(in_meta.size(), 3u);
  EXPECT_NEAR(in_meta[0], 1, 2e-3);
  EXPECT_NEAR(in_meta[1], 0, 2e-3);
  EXPECT_EQ(in_region, in_meta);
  TestPipeline alone(glinfer("decoder=vector model=" + red_model(Head::kVector)));
  alone.set_state(GST_STATE_PLAYING);
  EXPECT_NE(alone.error(5).find("decoder=vector: needs regions=upstream"), std::string::npos) << alone.error();
}

TEST(InferOnObjects, TakesBatches) {
  const auto error_of = [](const std::string& settings) {
    TestPipeline pipeline(glinfer(settings));
    EXPECT_FALSE(pipeline.set_state(GST_STATE_PLAYING));
    return pipeline.error(5);
  };
  const std::string fixed = error_of("regions=upstream region-batch=4 model=" + red_model(Head::kVector));
  EXPECT_NE(fixed.find("cannot set a batch of 4 for input 'input': the file has a fixed batch of 1"), std::string::npos)
      << fixed;
  const std::string alone = error_of("region-batch=4 model=" + red_model(Head::kVector, 0));
  EXPECT_NE(alone.find("region-batch=4: needs regions=upstream"), std::string::npos) << alone;
  const std::string whole = error_of("model=" + red_model(Head::kVector, 4));
  EXPECT_NE(whole.find("expected shape 1 x height x width x 3"), std::string::npos) << whole;
  for (const auto& [batch, expected] : {std::pair{0, 1}, {4, 4}}) {
    TestPipeline pipeline("glinfer draw=false tracking=true model=" + yolo_model({}) + " ! " +
                          glinfer("regions=upstream threshold=0 max-results=3 results=meta region-batch=" +
                                  std::to_string(batch) + " model=" + red_model(Head::kVector, expected == 1 ? 1 : 0)));
    NewestResults seen(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    for (int i = 0; i < 30 && (i < 4 || seen.objects.empty()); ++i) pipeline.pass(filled(kSize, kSize, kRed));
    ASSERT_EQ(seen.objects.size(), 1u) << batch;
  }
}

TEST(InferOnObjects, ObjectsHaveToComeFromUpstream) {
  PlayingPipeline pipeline(glinfer("regions=upstream model=" + red_model(Head::kVector)));
  const Rgba frame = left_half_red(kSize, kSize);
  EXPECT_EQ(pipeline.shown(frame).pixels, frame.pixels);
  const std::string warning = pipeline.warning(5);
  EXPECT_NE(warning.find("regions=upstream: frames carry no objects"), std::string::npos) << warning;
  TestPipeline masks(glinfer("regions=upstream model=" + red_model()));
  EXPECT_FALSE(masks.set_state(GST_STATE_PLAYING));
  const std::string error = masks.error(5);
  EXPECT_NE(error.find("decoded as picture; use a model whose task is"), std::string::npos) << error;
}

}  // namespace
}  // namespace sightglass::test

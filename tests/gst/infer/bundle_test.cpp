// Elements with .task bundles: detector, landmarks, and blendshapes from inside, and the errors of bundles that they
// cannot run.
#include <gst/video/gstvideometa.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/scratch_folder.h"
#include "seen_results.h"
#include "test_pipeline.h"
#include "tiny_model.h"
#include "zip_builder.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string write_bundle(const std::string& name, const std::vector<Attached>& members) {
  const std::string path = (scratch_folder() / name).string();
  const std::vector<std::byte> archive = zip(members);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(archive.data()), static_cast<std::streamsize>(archive.size()));
  return path;
}

// The number of labels in the parameter of each region of interest that has it.
std::vector<guint> region_classes(GstBuffer* buffer) {
  std::vector<guint> counts;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const GstStructure* classes = gst_video_region_of_interest_meta_get_param(
        reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta), "classifications");
    if (classes != nullptr) counts.push_back(gst_value_array_get_size(gst_structure_get_value(classes, "labels")));
  }
  return counts;
}

class Bundles : public ::testing::Test {
 protected:
  void SetUp() override {
    init_gstreamer();
    shared_ = shared_directory();
    if (shared_.empty()) GTEST_SKIP() << "no models next to the source tree";
  }
  // Processes the image three times; the results are those of the second one.
  SeenResults run(const std::string& element, const std::string& picture, const std::string& kept = "") {
    TestPipeline pipeline(element + " name=segment results=meta");
    NewestResults seen(pipeline.element());
    on_buffers(pipeline.element(), "src", [this](GstBuffer* buffer) { regions_ = region_classes(buffer); });
    EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    const Rgba image = load_picture(shared_ + "/" + picture);
    std::optional<Rgba> shown;
    for (int i = 0; i < 3; ++i) shown = pipeline.pass(image);
    EXPECT_TRUE(shown) << pipeline.error(1);
    warning_ = pipeline.warning();
    const char* folder = std::getenv("SIGHTGLASS_KEEP_PICTURES");
    if (folder != nullptr && shown && !kept.empty()) save_png(*shown, std::string(folder) + "/" + kept);
    return seen;
  }
  // The error at start.
  static std::string error_of(const std::string& element) {
    TestPipeline pipeline(element + " name=segment");
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.push(Rgba(64, 48));
    return pipeline.error(5);
  }
  std::string face() const { return shared_ + "/second/models/face_landmarker.task"; }
  std::string second(const std::string& name) const { return contents_of(shared_ + "/second/models/" + name); }
  std::string pose(const std::string& name) const { return contents_of(shared_ + "/models/pose/" + name); }
  std::string hands() const {
    return write_bundle("hand_landmarker.task",
                        {{.name = "hand_detector.tflite", .contents = second("palm_detection_full_192.tflite")},
                         {.name = "hand_landmarks_detector.tflite",
                          .contents = second("hand_landmark_2020.tflite"),
                          .deflates = true}});
  }
  std::string person() const {
    return write_bundle(
        "pose_landmarker_lite.task",
        {{.name = "pose_detector.tflite", .contents = pose("blazepose_detection_224.tflite"), .deflates = true},
         {.name = "pose_landmarks_detector.tflite", .contents = pose("blazepose_landmark_lite.tflite")}});
  }
  std::string shared_, warning_;
  std::vector<guint> regions_;  // region_classes() of the last frame
};

TEST_F(Bundles, FacesHaveLandmarksAndBlendshapes) {
  const SeenResults seen = run("glinfer model=" + face(), "media/mp_portrait.jpg", "face_bundle.png");
  EXPECT_EQ(warning_, "");
  EXPECT_EQ(seen.model, "face_landmarks_detector");
  ASSERT_EQ(seen.objects.size(), 1U);
  const SeenObject& found = seen.objects[0];
  EXPECT_EQ(found.label, "face");
  EXPECT_EQ(found.points.size(), 478U);
  EXPECT_EQ(found.id, 1U);
  EXPECT_GT(found.left, 0.34F);
  EXPECT_LT(found.right, 0.65F);
  EXPECT_GT(found.top, 0.03F);
  EXPECT_LT(found.bottom, 0.37F);
  ASSERT_EQ(found.classes.size(), 52U);
  std::printf("mouthSmileLeft %.3f, jawOpen %.3f, eyeBlinkLeft %.3f\n", found.classes.at("mouthSmileLeft"),
              found.classes.at("jawOpen"), found.classes.at("eyeBlinkLeft"));
  EXPECT_GT(found.classes.at("mouthSmileLeft"), 0.8F);
  EXPECT_GT(found.classes.at("mouthSmileRight"), 0.8F);
  EXPECT_LT(found.classes.at("jawOpen"), 0.2F);
  EXPECT_LT(found.classes.at("mouthPucker"), 0.2F);
  EXPECT_EQ(regions_, std::vector<guint>{52});
}

// Also if the models lag behind the frames, and with 16-bit storage.
TEST_F(Bundles, BlendshapesFollowTheSettings) {
  for (const std::string settings : {"mask-sync=latest gpu-budget=0", "precision=fp16", "inference-interval=2"}) {
    const SeenResults seen = run("glinfer model=" + face() + " " + settings, "media/mp_portrait.jpg");
    ASSERT_EQ(seen.objects.size(), 1U) << settings;
    ASSERT_EQ(seen.objects[0].classes.size(), 52U) << settings;
    std::printf("%s: mouthSmileLeft %.3f\n", settings.c_str(), seen.objects[0].classes.at("mouthSmileLeft"));
    EXPECT_GT(seen.objects[0].classes.at("mouthSmileLeft"), 0.8F) << settings;
  }
}

TEST_F(Bundles, OneMemberIsAModel) {
  const SeenResults seen = run("glinfer model=" + face() + ":face_detector.tflite", "media/mp_portrait.jpg");
  EXPECT_EQ(seen.model, "face_detector");
  ASSERT_EQ(seen.objects.size(), 1U);
  EXPECT_EQ(seen.objects[0].points.size(), 6U);
  const SeenResults landmarks =
      run("glinfer model=" + face() + ":face_landmarks_detector.tflite detector=" + face(), "media/mp_portrait.jpg");
  ASSERT_EQ(landmarks.objects.size(), 1U);
  EXPECT_EQ(landmarks.objects[0].points.size(), 478U);
  EXPECT_TRUE(landmarks.objects[0].classes.empty()) << "only the whole bundle has blendshapes";
}

// The bundle replaces a single model between two frames, and brings its detector.
TEST_F(Bundles, ReplaceAModelWhilePlaying) {
  TestPipeline pipeline("glinfer name=segment results=meta model=" + shared_ +
                        "/models/face/face_detection_short_range.tflite");
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  const Rgba portrait = load_picture(shared_ + "/media/mp_portrait.jpg");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(pipeline.pass(portrait)) << pipeline.error(1);
  g_object_set(pipeline.element(), "model", face().c_str(), nullptr);
  constexpr int kMostFrames = 1000;
  int frames = 0;
  while (seen.model != "face_landmarks_detector" && ++frames < kMostFrames) {
    ASSERT_TRUE(pipeline.pass(portrait)) << pipeline.error(1);
    g_usleep(10'000);
  }
  std::printf("replaced after %d frames\n", frames);
  ASSERT_EQ(seen.objects.size(), 1U);
  EXPECT_EQ(seen.objects[0].points.size(), 478U);
  EXPECT_EQ(seen.objects[0].classes.size(), 52U);
}

TEST_F(Bundles, HandsHaveLandmarks) {
  const SeenResults seen = run("glinfer max-results=2 model=" + hands(), "media/mp_hands.jpg", "hand_bundle.png");
  ASSERT_EQ(seen.objects.size(), 2U);
  for (const SeenObject& hand : seen.objects) {
    EXPECT_EQ(hand.label, "left_hand");
    EXPECT_EQ(hand.points.size(), 21U);
  }
}

// As gesture bundles have them. The other models are reported.
TEST_F(Bundles, BundlesInsideBundlesRun) {
  const std::string inside = contents_of(hands());
  const std::string path = write_bundle("gesture_recognizer.task",
                                        {{.name = "hand_landmarker.task", .contents = inside, .deflates = true},
                                         {.name = "gesture_embedder.tflite", .contents = contents_of(red_model())}});
  const SeenResults seen = run("glinfer model=" + path, "media/mp_hands.jpg");
  ASSERT_EQ(seen.objects.size(), 1U);
  EXPECT_EQ(seen.objects[0].points.size(), 21U);
  EXPECT_NE(warning_.find("models in the bundle that do not run: gesture_embedder.tflite"), std::string::npos)
      << warning_;
}

TEST_F(Bundles, PeopleHavePoses) {
  const SeenResults seen = run("glpose model=" + person(), "media/mp_pose.jpg", "pose_bundle.png");
  EXPECT_EQ(seen.model, "pose_landmarks_detector");
  ASSERT_EQ(seen.objects.size(), 1U);
  EXPECT_EQ(seen.objects[0].label, "person");
  EXPECT_EQ(seen.objects[0].points.size(), 33U);
  // The same without a bundle.
  const SeenResults plain =
      run("glpose model=" + shared_ + "/models/pose/blazepose_landmark_lite.tflite", "media/mp_pose.jpg");
  ASSERT_EQ(plain.objects.size(), 1U);
  EXPECT_NEAR(seen.objects[0].left, plain.objects[0].left, 1e-6F);
  EXPECT_NEAR(seen.objects[0].bottom, plain.objects[0].bottom, 1e-6F);
}

// Otherwise the wrong kind of detector would not be an error.
TEST_F(Bundles, ExplicitDetectorsHavePriority) {
  const std::string movenet = shared_ + "/models/pose/movenet_singlepose_lightning_int8_v4.tflite";
  EXPECT_NE(error_of("glpose model=" + person() + " detector=" + movenet).find("set detector to a BlazePose detector"),
            std::string::npos);
  const SeenResults seen =
      run("glinfer model=" + face() + " detector=" + shared_ + "/models/face/face_detection_full_range_sparse.tflite",
          "media/mp_portrait.jpg");
  ASSERT_EQ(seen.objects.size(), 1U);
  EXPECT_EQ(seen.objects[0].classes.size(), 52U);
}

TEST_F(Bundles, ErrorsNameTheModelsAndTheElement) {
  const std::string image = contents_of(red_model());
  const std::string several = write_bundle("holistic_landmarker.task", {{"face_detector.tflite", image},
                                                                        {"face_landmarks_detector.tflite", image},
                                                                        {"hand_landmarks_detector.tflite", image}});
  const std::string unknown = write_bundle("other.task", {{"one.tflite", image}, {"two.tflite", image}});
  const std::string text = write_bundle("text.task", {{"TOKENIZER_MODEL", "words"}});
  const std::string damaged =
      write_bundle("damaged.task", {{.name = "face_landmarks_detector.tflite", .contents = image, .crc32 = 1}});
  const std::string cut = (scratch_folder() / "cut.task").string();
  std::ofstream(cut, std::ios::binary) << contents_of(face()).substr(0, 100'000);
  for (const auto& [element, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"glpose model=" + face(), {face(), "glpose", "face_landmarks_detector.tflite", "; use glinfer"}},
           {"glinfer model=" + person(), {person(), "pose_detector.tflite", "; use glpose"}},
           {"glsegment model=" + face(), {face(), "face_detector.tflite", "or use glinfer"}},
           {"glinfer model=" + several,
            {"cannot choose between the models for face and hand",
             "set model=" + several + ":face_landmarks_detector.tflite detector=" + several + ":face_detector.tflite"}},
           {"glinfer model=" + unknown, {"one.tflite, two.tflite", "set model to one of them, such as " + unknown}},
           {"glinfer model=" + text, {"TOKENIZER_MODEL", "set model to a bundle of .tflite models"}},
           {"glinfer model=" + damaged, {"'face_landmarks_detector.tflite'", "checksum", "download the bundle again"}},
           {"glinfer model=" + cut, {cut, "truncated", "download it again"}},
           {"glinfer model=" + face() + ":nose.tflite", {"'nose.tflite'", "it has face_detector.tflite"}}}) {
    const std::string error = error_of(element);
    for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << part << " in: " << error;
  }
  // A bundle of one model is this model, in every element.
  const std::string one = write_bundle("one.task", {{"model.tflite", image}});
  EXPECT_EQ(error_of("glsegment model=" + one), "");
  EXPECT_EQ(error_of("glinfer model=" + one), "");
}

}  // namespace
}  // namespace sightglass::test

// glpose in pipelines: drawing, results, errors, and tracking between frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "figure_truth.h"
#include "harness/scratch_folder.h"
#include "mask_recorder.h"
#include "red_picture.h"
#include "seen_results.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr const char* kMoveNet = "movenet_singlepose_lightning_int8_v4";
constexpr const char* kBlazePose = "blazepose_landmark_lite";

std::string pose_model(const std::string& name) { return shared_directory() + "/models/pose/" + name + ".tflite"; }
std::string element(const std::string& model, const std::string& options = "") {
  return "glpose name=segment model=" + model + " " + options;
}

// A model, and an image of a person that it finds.
struct Subject {
  std::string model;  // file or name
  std::string name;   // as in results
  Rgba frame;
  float nose_x, nose_y, tolerance;  // position of the nose, in fractions of the frame
  guint points;
  std::string last_point;
};

// The bundled model with a rendered figure, and published models with a photograph if they are available.
std::vector<Subject> subjects() {
  const Figure figure = draw_figure(480, 480, "seed=2000004 framing=full");
  const SightglassKeyPoint& nose = figure.key_points[0];
  EXPECT_EQ(nose.visibility, 2U);
  std::vector<Subject> all{{"figure", "figure", figure.picture, nose.x, nose.y, 0.03F, 17, "right_ankle"}};
  if (const std::string shared = shared_directory(); !shared.empty()) {
    const Rgba person = load_picture(shared + "/media/mp_pose.jpg");
    all.push_back({pose_model(kMoveNet), kMoveNet, person, 0.468F, 0.423F, 0.012F, 17, "right_ankle"});
    all.push_back({pose_model(kBlazePose), kBlazePose, person, 0.468F, 0.423F, 0.012F, 33, "right_foot_index"});
  }
  return all;
}

class Pose : public ::testing::Test {
 protected:
  void SetUp() override { init_gstreamer(); }
};

// Behavior of only these models.
class BlazePose : public Pose {
 protected:
  void SetUp() override {
    if (shared_directory().empty()) GTEST_SKIP() << "needs BlazePose, MoveNet, and a photograph from ../shared";
    Pose::SetUp();
    person_ = load_picture(shared_directory() + "/media/mp_pose.jpg");
  }
  static std::string glpose(const std::string& model, const std::string& options = "") {
    return element(pose_model(model), options);
  }
  Rgba person_;
};

// Over all color components of all pixels.
double mean_difference(const Rgba& a, const Rgba& b) {
  double sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(int{a.pixels[i]} - int{b.pixels[i]});
  return sum / static_cast<double>(a.pixels.size());
}

constexpr const char* kGreenAndRed = "line-width=8 point-radius=6 line-color=0xff00ff00 point-color=0xffff0000";
bool is_green(const uint8_t* pixel) { return pixel[1] > 200 && pixel[0] < 60; }
bool is_red(const uint8_t* pixel) { return pixel[0] > 200 && pixel[1] < 60; }

TEST_F(Pose, SkeletonsAreDrawnOverTheFrame) {
  for (const Subject& who : subjects()) {
    SCOPED_TRACE(who.name);
    PlayingPipeline pipeline(element(who.model, kGreenAndRed));
    const Rgba drawn = pipeline.shown(who.frame);
    // There are lines, a point on the nose, and nothing in the corner.
    size_t green = 0;
    double to_nose = 1;
    for (int32_t y = 0; y < drawn.height; ++y) {
      for (int32_t x = 0; x < drawn.width; ++x) {
        if (is_green(drawn.at(x, y)) && !is_green(who.frame.at(x, y))) ++green;
        if (!is_red(drawn.at(x, y)) || is_red(who.frame.at(x, y))) continue;
        to_nose =
            std::min(to_nose, std::hypot((x + 0.5) / drawn.width - who.nose_x, (y + 0.5) / drawn.height - who.nose_y));
      }
    }
    std::printf("%s: %zu green pixels, a red one within %.4f of the nose\n", who.name.c_str(), green, to_nose);
    EXPECT_GT(green, 500U);
    EXPECT_LT(to_nose, who.tolerance);
    EXPECT_NEAR(drawn.at(10, 10)[1], who.frame.at(10, 10)[1], 2);

    // Switched off while playing.
    g_object_set(pipeline.element(), "draw", FALSE, nullptr);
    const Rgba plain = pipeline.shown(who.frame);
    EXPECT_LT(mean_difference(plain, who.frame), 0.01);
    // With unreachable thresholds, nothing is drawn either.
    g_object_set(pipeline.element(), "draw", TRUE, "visibility-threshold", 1.0F, nullptr);
    const Rgba unsure = pipeline.shown(who.frame);
    EXPECT_LT(mean_difference(unsure, who.frame), 0.2);
  }
}

// The left upper arm and the nose of the photograph.
TEST_F(BlazePose, SkeletonsAreOnLimbs) {
  for (const char* model : {kMoveNet, kBlazePose}) {
    PlayingPipeline pipeline(glpose(model, kGreenAndRed));
    const Rgba drawn = pipeline.shown(person_);
    EXPECT_TRUE(is_green(drawn.at(565, 320))) << model;
    EXPECT_TRUE(is_red(drawn.at(468, 284))) << model;
  }
}

TEST_F(Pose, ResultsDescribeEarlierFrames) {
  for (const Subject& who : subjects()) {
    const std::string& model = who.name;
    TestPipeline pipeline(element(who.model, "results=meta"));
    NewestResults probe(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(pipeline.pass(who.frame)) << pipeline.error(1);
    ASSERT_EQ(probe.objects.size(), 1U) << model;
    EXPECT_LT(probe.frame, 5u);
    EXPECT_EQ(probe.model, who.name) << "its name, not its path";
    EXPECT_EQ(probe.objects[0].id, 1u);
    EXPECT_NEAR(probe.objects[0].points[0].x, who.nose_x, who.tolerance) << model;
    EXPECT_NEAR(probe.objects[0].points[0].y, who.nose_y, who.tolerance) << model;
    EXPECT_EQ(probe.objects[0].points.size(), who.points);
    EXPECT_EQ(probe.objects[0].points.back().name, who.last_point);
    EXPECT_GT(probe.objects[0].confidence, 0.2F);

    // After a flush or a new segment, a person gets a new ID.
    ASSERT_TRUE(pipeline.flush());
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(pipeline.pass(who.frame)) << pipeline.error(1);
    EXPECT_EQ(probe.objects[0].id, 2u) << model;
    ASSERT_TRUE(pipeline.send_segment());
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(pipeline.pass(who.frame)) << pipeline.error(1);
    EXPECT_EQ(probe.objects[0].id, 3u) << model;

    // Frames of another size without people: no results are reported.
    const Rgba empty(320, 200);
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(pipeline.pass(empty)) << pipeline.error(1);
    EXPECT_EQ(probe.objects.size(), 0u) << model;
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(pipeline.pass(who.frame)) << pipeline.error(1);
    EXPECT_EQ(probe.objects.size(), 1u) << model;
  }
}

// Frames in between show the previous skeleton.
TEST_F(Pose, TheIntervalSkipsRuns) {
  for (const Subject& who : subjects()) {
    const std::string& model = who.name;
    const Rgba nobody(who.frame.width, who.frame.height);
    PlayingPipeline pipeline(element(who.model, "inference-interval=3"));
    std::vector<std::optional<Rgba>> drawn;
    for (int i = 0; i < 7; ++i) {
      drawn.push_back(pipeline.pass(i % 3 == 0 ? who.frame : nobody));
      ASSERT_TRUE(drawn.back()) << pipeline.error(1);
    }
    EXPECT_NE(drawn[1]->pixels, nobody.pixels) << "a skeleton without its person";
    EXPECT_EQ(drawn[1]->pixels, drawn[2]->pixels) << model;
    EXPECT_NE(drawn[0]->pixels, who.frame.pixels) << model;
    EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 3u) << model;
  }
}

// Two people whose regions overlap are found as two, and keep their IDs.
TEST_F(BlazePose, PeopleSideBySideAreFoundOnceEach) {
  const Rgba people = load_picture(shared_directory() + "/second/media/two_people_whitehouse.jpg");
  TestPipeline pipeline(glpose(kBlazePose, "max-persons=3 results=meta"));
  NewestResults probe(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(pipeline.pass(people)) << pipeline.error(1);
    if (probe.count == 0) continue;
    EXPECT_EQ(probe.objects.size(), 2U) << "frame " << probe.frame;
    for (const SeenObject& person : probe.objects) EXPECT_LE(person.id, 2U) << "frame " << probe.frame;
  }
  EXPECT_GT(probe.count, 0);
}

// The float input of the second one is quantized to integers. Its weights were trained with three of them.
TEST_F(BlazePose, PoseNetFindsThePersonWithoutProperties) {
  for (const char* model : {"posenet_mnv1_075_353x481_quant", "posenet_mnv1_100_257_multi_kpt_int8"}) {
    TestPipeline pipeline(glpose(model, "results=meta"));
    NewestResults probe(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(pipeline.pass(person_)) << pipeline.error(1);
    ASSERT_EQ(probe.objects.size(), 1U) << model;
    std::printf("%s: nose at %.3f, %.3f\n", model, probe.objects[0].points[0].x, probe.objects[0].points[0].y);
    EXPECT_NEAR(probe.objects[0].points[0].x, 0.468F, 0.03F) << model;
    EXPECT_NEAR(probe.objects[0].points[0].y, 0.423F, 0.03F) << model;
  }
}

// The second model samples the frame that the first one has sampled, which is released by then.
TEST_F(BlazePose, RunsInPartsKeepTheirFrame) {
  const Rgba nobody(person_.width, person_.height);
  for (const std::string format : {"RGBA", "NV12"}) {
    TestPipeline pipeline("glcolorconvert ! video/x-raw(memory:GLMemory),format=" + format + " ! " +
                          glpose(kBlazePose, "results=meta mask-sync=latest gpu-budget=2000000"));
    NewestResults probe(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    ASSERT_TRUE(pipeline.pass(nobody)) << pipeline.error(1);
    int frames = 0;
    for (; frames < 400 && probe.objects.empty(); ++frames) {
      ASSERT_TRUE(pipeline.pass(frames == 0 ? person_ : nobody)) << pipeline.error(1);
    }
    std::printf("%s: found %d frames later\n", format.c_str(), frames - 1);
    EXPECT_GT(frames, 3) << "takes more than one budget";
    ASSERT_EQ(probe.objects.size(), 1U) << format;
    EXPECT_EQ(probe.frame, 1U);
    EXPECT_NEAR(probe.objects[0].points[0].x, 0.468F, 0.012F) << format;
    EXPECT_NEAR(probe.objects[0].points[0].y, 0.423F, 0.012F) << format;
  }
}

TEST_F(BlazePose, MaskIsAttached) {
  TestPipeline pipeline(glpose(kBlazePose, "attach-mask=true draw=false") + " ! gldownload ! glupload");
  std::string seen;
  record_masks(pipeline.element(), seen);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  ASSERT_TRUE(pipeline.pass(person_)) << pipeline.error(1);
  EXPECT_EQ(seen, "m");
  TestPipeline movenet(glpose(kMoveNet, "attach-mask=true"));
  movenet.set_state(GST_STATE_PLAYING);
  EXPECT_NE(movenet.error(5).find("attach-mask"), std::string::npos);
}

// The golden mask is blue for the person, red for everything else.
TEST_F(BlazePose, GlsegmentCompositesWithItsMask) {
  Rgba golden = load_picture(shared_directory() + "/media/mp_pose_segmentation_golden.png");
  for (size_t i = 0; i < golden.pixels.size(); i += 4) golden.pixels[i] = golden.pixels[i + 2];
  PlayingPipeline pipeline("glpose attach-mask=true draw=false model=" + pose_model(kBlazePose) +
                           " ! glsegment name=segment mask-source=meta background=mask softness=0.1");
  std::optional<Rgba> mask;
  for (int i = 0; i < 2; ++i) mask = pipeline.pass(person_);
  ASSERT_TRUE(mask) << pipeline.error(1);
  const double agreement = iou(*mask, golden);
  std::printf("agreement with MediaPipe's mask: %.3f\n", agreement);
  EXPECT_GT(agreement, 0.9);
}

// Everything is background, and a warning states the reason.
TEST_F(Pose, GlsegmentWarnsAboutFramesWithoutAMask) {
  const Rgba red = left_half_red(64, 48);
  PlayingPipeline alone("glsegment name=segment mask-source=meta background=color background-color=0xff0000ff");
  const Rgba hidden = alone.shown(red);
  EXPECT_EQ(hidden.at(8, 24)[0], 0);
  EXPECT_EQ(hidden.at(8, 24)[2], 255);
  EXPECT_NE(alone.warning(5).find("carries no mask"), std::string::npos);
}

// One person in red frames, whom the element follows from frame to frame.
TEST_F(Pose, YoloPeopleAreTracked) {
  Rgba red(64, 64);
  for (size_t i = 0; i < red.pixels.size(); i += 4) red.pixels[i] = red.pixels[i + 3] = 255;
  for (const YoloFile& file : {YoloFile{.points = 17}, YoloFile{.in_pixels = true, .points = 17},
                               YoloFile{.rows = YoloFile::Rows::kRanked, .points = 17}}) {
    TestPipeline pipeline("glpose name=segment results=meta max-persons=1 model=" + yolo_model(file));
    NewestResults seen(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    std::optional<Rgba> shown;
    for (int i = 0; i < 6; ++i) shown = pipeline.pass(red);
    ASSERT_TRUE(shown) << pipeline.error(1);
    EXPECT_NE(shown->pixels, red.pixels) << "the skeleton is drawn";
    ASSERT_EQ(seen.objects.size(), 1U);
    const SeenObject& person = seen.objects[0];
    EXPECT_EQ(person.id, 1U) << "the same person in all frames";
    EXPECT_NEAR(person.confidence, kYoloScores[0], 0.01F);
    ASSERT_EQ(person.points.size(), 17U);
    EXPECT_EQ(person.points[0].name, "nose");
    const float* box = kYoloBoxes[0];
    for (const size_t k : {size_t{0}, size_t{16}}) {
      const float along = (static_cast<float>(k) + 0.5F) / 17 - 0.5F;
      EXPECT_NEAR(person.points[k].x, box[0] + along * box[2], 2e-3F) << k;
      EXPECT_NEAR(person.points[k].y, box[1] + along * box[3], 2e-3F) << k;
    }
  }
}

// Boxes of the model are at constant positions in its input.
TEST_F(Pose, WideFramesAreScaledAsSet) {
  Rgba red(128, 64);
  for (size_t i = 0; i < red.pixels.size(); i += 4) red.pixels[i] = red.pixels[i + 3] = 255;
  TestPipeline pipeline("glpose name=segment results=meta smoothing=false person-threshold=0.1 model=" +
                        yolo_model({.points = 17}));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  for (const char* fit : {"", "stretch", "letterbox"}) {
    if (*fit != 0) gst_util_set_object_arg(G_OBJECT(pipeline.element()), "fit", fit);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(pipeline.pass(red)) << pipeline.error(1);
    ASSERT_EQ(seen.objects.size(), 1U) << fit;
    const float* box = kYoloBoxes[0];
    const float x = box[0] - 8.0F / 17 * box[2], y = box[1] - 8.0F / 17 * box[3];
    std::printf("%s: nose at %.3f, %.3f\n", fit, seen.objects[0].points[0].x, seen.objects[0].points[0].y);
    EXPECT_NEAR(seen.objects[0].points[0].x, x, 2e-3F) << fit;
    EXPECT_NEAR(seen.objects[0].points[0].y, std::string(fit) == "stretch" ? y : 2 * y - 0.5F, 4e-3F) << fit;
  }
}

// The first error of a pipeline with this element.
std::string error_of(const std::string& element) {
  TestPipeline pipeline(element);
  pipeline.set_state(GST_STATE_PLAYING);
  return pipeline.error(5);
}

TEST_F(Pose, ErrorsStateTheFix) {
  const std::string none = error_of("glpose name=segment");
  EXPECT_NE(none.find("no model is set"), std::string::npos) << none;
  const std::string mask = error_of("glpose name=segment model=" + red_model());
  EXPECT_NE(mask.find("unknown kind of pose model"), std::string::npos) << mask;
}

TEST_F(BlazePose, ErrorsStateTheFix) {
  const std::string detector = error_of(glpose("blazepose_detection_224"));
  EXPECT_NE(detector.find("set detector to it"), std::string::npos) << detector;
  const std::string wrong = error_of(glpose(kBlazePose, "detector=" + pose_model(kMoveNet)));
  EXPECT_NE(wrong.find("this is MoveNet"), std::string::npos) << wrong;
  // A landmark model in its own directory has no detector next to it.
  const auto alone = scratch_folder() / "landmarks.tflite";
  std::filesystem::copy_file(pose_model(kBlazePose), alone, std::filesystem::copy_options::overwrite_existing);
  const std::string lonely = error_of("glpose name=segment model=" + alone.string());
  EXPECT_NE(lonely.find("detector=FILE.tflite"), std::string::npos) << lonely;
}

}  // namespace
}  // namespace sightglass::test

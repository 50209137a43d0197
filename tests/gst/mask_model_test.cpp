// How a model becomes a segmenter: what is known of published models, what files say, what properties say.
#include "segment/mask_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "harness/golden.h"
#include "known_models.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

std::string model_file(const std::string& name) { return (*shared_dir() / "models" / (name + ".tflite")).string(); }

TEST(KnownModels, ChecksumsAreChecksums) {
  std::set<std::string> seen;
  for (const KnownModel& model : known_models()) {
    const std::string sha256 = model.sha256;
    EXPECT_EQ(sha256.size(), 64u) << model.name;
    EXPECT_EQ(sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << model.name;
    EXPECT_TRUE(seen.insert(sha256).second) << model.name << " is there twice";
  }
}

TEST(KnownModels, PublishedFilesAreRecognised) {
  EXPECT_FALSE(recognise_model("/nowhere/model.tflite"));
  EXPECT_FALSE(recognise_model(red_model()));
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  for (const auto& [file, task] : {std::pair{"segmentation/mediapipe_selfie_segmenter_256", Task::kSegmentation},
                                   {"pose/movenet_singlepose_lightning_int8_v4", Task::kPose},
                                   {"face/face_detection_short_range", Task::kFace},
                                   {"classify_detect/ssd_mobilenet_v2_fpnlite_320_custom", Task::kDetection}}) {
    const auto known = recognise_model(model_file(file));
    ASSERT_TRUE(known) << file;
    EXPECT_EQ(known->task, task) << file;
  }
}

TEST(MaskModel, PublishedModelsNeedNoProperties) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto deeplab = load_mask_model(model_file("segmentation/deeplabv3_257_mv_gpu"), {});
  ASSERT_TRUE(deeplab.ok()) << deeplab.status().message();
  EXPECT_EQ(deeplab->plan_options.inputs[0].scale[0], 2);
  EXPECT_EQ(deeplab->plan_options.inputs[0].offset[2], -1);
  EXPECT_EQ(deeplab->plan_options.outputs[0].classes, std::vector<int32_t>{15});

  // The mask of the frame before, in the fourth channel, is never given.
  const auto hair = load_mask_model(model_file("segmentation/mediapipe_hair_segmentation"), {});
  ASSERT_TRUE(hair.ok()) << hair.status().message();
  EXPECT_EQ(hair->plan_options.inputs[0].scale, (std::array<float, 4>{1, 1, 1, 0}));
  EXPECT_EQ(hair->plan_options.outputs[0].classes, std::vector<int32_t>{1});
}

TEST(MaskModel, PropertiesWinOverWhatIsKnown) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  MaskModelOptions options;
  options.classes = {7};
  options.input_scale = 3;
  const auto deeplab = load_mask_model(model_file("segmentation/deeplabv3_257_mv_gpu"), options);
  ASSERT_TRUE(deeplab.ok()) << deeplab.status().message();
  EXPECT_EQ(deeplab->plan_options.inputs[0].scale[1], 3);
  EXPECT_EQ(deeplab->plan_options.inputs[0].offset[1], -1);
  EXPECT_EQ(deeplab->plan_options.outputs[0].classes, std::vector<int32_t>{7});
}

TEST(MaskModel, ModelsWithoutAMaskAreNamed) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto movenet = load_mask_model(model_file("pose/movenet_singlepose_lightning_int8_v4"), {});
  ASSERT_FALSE(movenet.ok());
  EXPECT_NE(movenet.status().message().find("MoveNet"), std::string::npos) << movenet.status().message();
  EXPECT_NE(movenet.status().message().find("a model for pose"), std::string::npos) << movenet.status().message();
}

}  // namespace
}  // namespace sightglass::test

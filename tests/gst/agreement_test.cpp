// Masks of a real model through the whole pipeline, against those that MediaPipe makes.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "test_pipeline.h"

namespace sightglass::test {
namespace {

// The golden masks are blue for the person, red for everything else.
Rgba person_in_white(Rgba golden) {
  for (size_t i = 0; i < golden.pixels.size(); i += 4) golden.pixels[i] = golden.pixels[i + 2];
  return golden;
}

class Agreement : public ::testing::TestWithParam<const char*> {};

TEST_P(Agreement, MaskIsTheGoldenOne) {
  const std::string shared = shared_directory();
  if (shared.empty()) GTEST_SKIP() << "needs the real model and pictures of ../shared";
  const std::string name = GetParam();
  const std::string model = shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite";
  const Rgba frame = load_picture(shared + "/media/" + name + ".jpg");
  const Rgba golden = person_in_white(load_picture(shared + "/media/" + name + "_segmentation_golden.png"));
  ASSERT_GT(frame.width, 0);
  ASSERT_EQ(golden.width, frame.width);

  double by_default = 0;
  for (const char* fit : {"", "fit=stretch", "fit=letterbox"}) {
    TestPipeline pipeline("glsegment name=segment background=mask model=" + model + " " + fit);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
    const auto mask = pipeline.pass(frame);
    ASSERT_TRUE(mask) << pipeline.error(1);
    const double agreement = iou(*mask, golden);
    std::printf("%s %s: IoU %.4f\n", name.c_str(), *fit == 0 ? "default" : fit, agreement);
    if (*fit == 0) by_default = agreement;
  }
  EXPECT_GE(by_default, 0.95);
}

INSTANTIATE_TEST_SUITE_P(Pictures, Agreement, ::testing::Values("mp_portrait", "mp_pose"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace sightglass::test

// The normalization of segmentation models in the catalog: a photograph with a known mask, without any property.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>

#include "test_pipeline.h"

namespace sightglass::test {
namespace {

// The golden mask is blue for the person, red for everything else.
Rgba person_in_white(Rgba golden) {
  for (size_t i = 0; i < golden.pixels.size(); i += 4) golden.pixels[i] = golden.pixels[i + 2];
  return golden;
}

// With the normalization of the catalog, unless `options` contain another one. The first frame may take long.
Rgba mask_of(const std::string& model, const Rgba& frame, const std::string& options = "") {
  TestPipeline pipeline("glsegment name=segment background=mask model=" + shared_directory() + "/models/segmentation/" +
                        model + ".tflite " + options);
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  EXPECT_TRUE(pipeline.push(frame)) << pipeline.error(1);
  std::optional<Rgba> mask;
  for (int i = 0; i < 6 && !mask; ++i) mask = pipeline.pull();
  EXPECT_TRUE(mask) << pipeline.error(1);
  return mask.value_or(Rgba(frame.width, frame.height));
}

struct Case {
  const char* model;
  double least;  // intersection over union with the mask of MediaPipe
};

class KnownSegmenters : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shared_directory().empty()) GTEST_SKIP() << "needs the real models and images of ../shared";
    frame_ = load_picture(shared_directory() + "/media/mp_portrait.jpg");
    ASSERT_GT(frame_.width, 0);
  }
  Rgba frame_;
};

TEST_F(KnownSegmenters, FindAPersonWithoutProperties) {
  const Rgba golden = person_in_white(load_picture(shared_directory() + "/media/mp_portrait_segmentation_golden.png"));
  for (const Case& c : {Case{"mediapipe_selfie_segmenter_256", 0.95}, Case{"deeplabv3_257_mv_gpu", 0.9},
                        Case{"deeplabv3_mnv2_dm05_pascal_quant", 0.92}, Case{"bodypix_float_050_8", 0.94},
                        Case{"unet_person_08_dynrange", 0.68}}) {
    const double agreement = iou(mask_of(c.model, frame_), golden);
    std::printf("%s: IoU %.4f\n", c.model, agreement);
    EXPECT_GE(agreement, c.least) << c.model;
  }
  const double wrong = iou(mask_of("bodypix_float_050_8", frame_, "input-scale=1 input-offset=0"), golden);
  std::printf("bodypix_float_050_8 with another normalization: IoU %.4f\n", wrong);
  EXPECT_LT(wrong, 0.9);
}

TEST_F(KnownSegmenters, FindHair) {
  Rgba mask = mask_of("mediapipe_hair_segmentation", frame_);
  const auto at = [&](int32_t x, int32_t y) { return int{*mask.at(x, y)}; };
  std::printf("hair %d, forehead %d, mouth %d, suit %d, curtain %d\n", at(400, 45), at(400, 120), at(400, 270),
              at(200, 600), at(150, 200));
  EXPECT_GT(at(400, 45), 128);
  for (const int value : {at(400, 120), at(400, 270), at(200, 600), at(150, 200)}) EXPECT_LT(value, 64);
}

}  // namespace
}  // namespace sightglass::test

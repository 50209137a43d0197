// Pixels that are not square: what belongs on a screen keeps its shape there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gl/frame_format.h"
#include "harness/scratch_folder.h"
#include "seen_results.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

struct Format {
  int32_t width, height;
  int numerator, denominator;  // of the pixel aspect ratio

  double aspect() const { return static_cast<double>(numerator) / denominator; }
  std::string caps() const {
    return "video/x-raw,format=RGBA,framerate=30/1,width=" + std::to_string(width) +
           ",height=" + std::to_string(height) + ",pixel-aspect-ratio=" + std::to_string(numerator) + "/" +
           std::to_string(denominator);
  }
};
// Square, NTSC, PAL and anamorphic pixels.
constexpr Format kFormats[] = {
    {160, 120, 1, 1}, {180, 120, 8, 9}, {144, 116, 16, 15}, {80, 120, 2, 1}, {160, 60, 1, 2}};

std::optional<Rgba> pass(const std::string& element, const Format& format, const Rgba& frame) {
  TestPipeline pipeline(element);
  if (!pipeline.set_state(GST_STATE_PLAYING)) return std::nullopt;
  std::optional<Rgba> out = pipeline.pass(format.caps(), frame.pixels);
  EXPECT_EQ(pipeline.error(), "");
  return out;
}

// The extent of what is brighter than a threshold in a channel, and the standard deviation of its brightness, on a
// screen.
struct Extent {
  double width = 0, height = 0, spread_x = 0, spread_y = 0;
};
Extent extent_of(const Rgba& picture, const Format& format, int channel, int threshold) {
  int left = picture.width, right = -1, top = picture.height, bottom = -1;
  double sum = 0, x_sum = 0, y_sum = 0, xx = 0, yy = 0;
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = 0; x < picture.width; ++x) {
      const double value = picture.at(x, y)[channel];
      sum += value;
      x_sum += value * x;
      y_sum += value * y;
      xx += value * x * x;
      yy += value * y * y;
      if (value <= threshold) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  }
  const double mean_x = x_sum / sum, mean_y = y_sum / sum;
  return {(right - left + 1) * format.aspect(), bottom - top + 1.0,
          std::sqrt(xx / sum - mean_x * mean_x) * format.aspect(), std::sqrt(yy / sum - mean_y * mean_y)};
}

// Black: everything is background.
Rgba black(const Format& format) {
  Rgba frame(format.width, format.height);
  for (size_t i = 3; i < frame.pixels.size(); i += 4) frame.pixels[i] = 255;
  return frame;
}

TEST(PixelAspect, BackgroundImagesKeepTheirProportions) {
  constexpr int32_t kSide = 100, kRadius = 40;
  const Rgba disc = painted(kSide, kSide, [](int32_t x, int32_t y) {
    const int32_t dx = 2 * x + 1 - kSide, dy = 2 * y + 1 - kSide;
    return std::array{0, 0, dx * dx + dy * dy < 4 * kRadius * kRadius ? 255 : 0};
  });
  const std::string png = scratch_folder() / "disc.png";
  ASSERT_TRUE(save_png(disc, png));
  for (const Format& format : kFormats) {
    for (const char* fit : {"contain", "cover"}) {
      SCOPED_TRACE(format.caps() + " " + fit);
      const auto out = pass("glsegment name=segment background=image background-fit=" + std::string(fit) +
                                " background-location=" + png + " model=" + red_model(),
                            format, black(format));
      ASSERT_TRUE(out);
      const Extent extent = extent_of(*out, format, 2, 127);
      const double frame_width = format.width * format.aspect();
      const double side = std::string(fit) == "cover" ? std::max<double>(frame_width, format.height)
                                                      : std::min<double>(frame_width, format.height);
      const double expected = std::min<double>(0.8 * side, format.height);
      EXPECT_NEAR(extent.height, expected, 2);
      if (expected < format.height) {
        EXPECT_NEAR(extent.width, extent.height, 1 + format.aspect());
      }
    }
  }
}

TEST(PixelAspect, BlurIsTheSameInAllDirections) {
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.caps());
    Rgba frame = black(format);
    const int32_t half_width = static_cast<int32_t>(std::lround(4 / format.aspect()));
    for (int32_t y = format.height / 2 - 4; y < format.height / 2 + 4; ++y) {
      for (int32_t x = format.width / 2 - half_width; x < format.width / 2 + half_width; ++x) {
        frame.at(x, y)[2] = 255;
      }
    }
    const auto out = pass("glsegment name=segment background=blur blur-radius=14 model=" + red_model(), format, frame);
    ASSERT_TRUE(out);
    const Extent extent = extent_of(*out, format, 2, 0);
    EXPECT_GT(extent.spread_y, 5);
    EXPECT_NEAR(extent.spread_x / extent.spread_y, 1, 0.1);
  }
}

// The part of the frame that a square model input shows is square on a screen.
TEST(PixelAspect, ModelInputsHaveSquarePixels) {
  for (const Format& format : kFormats) {
    UprightFrame frame;
    frame.width = format.width;
    frame.height = format.height;
    frame.pixel_aspect = static_cast<float>(format.aspect());
    for (const Fit fit : {Fit::kLetterbox, Fit::kCover}) {
      const InputTransform place = frame.input_to_upright(64, 64, fit);
      const double across = place.m[0] * format.width * format.aspect(), down = place.m[4] * format.height;
      EXPECT_NEAR(across / down, 1, 0.01) << format.caps();
    }
  }
}

// What a square model input finds has its proportions on a screen.
TEST(PixelAspect, BoxesKeepTheirProportions) {
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.caps());
    TestPipeline pipeline("glinfer name=segment results=meta fit=letterbox model=" + yolo_model({}));
    NewestResults seen(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    const Rgba red = painted(format.width, format.height, [](int32_t, int32_t) { return std::array{255, 0, 0}; });
    // Results follow a frame later.
    for (int i = 0; i < 30 && seen.objects.empty(); ++i) {
      ASSERT_TRUE(pipeline.pass(format.caps(), red.pixels)) << pipeline.error();
    }
    ASSERT_EQ(seen.objects.size(), 1u);
    const SeenObject& object = seen.objects[0];
    const double width = (object.right - object.left) * format.width * format.aspect();
    EXPECT_NEAR((object.bottom - object.top) * format.height / width, kYoloBoxes[0][3] / kYoloBoxes[0][2], 0.03);
  }
}

}  // namespace
}  // namespace sightglass::test

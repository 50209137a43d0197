// glinfer output-size=model: the output has the size of the model image, pixel by pixel.
#include <gst/app/gstappsink.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"
#include "yuv_picture.h"

namespace sightglass::test {
namespace {

// The size of the model input. The model image has twice the width and height.
constexpr int32_t kWidth = 16, kHeight = 12;

std::string enlarging(const std::string& properties = "", int32_t width = kWidth, int32_t height = kHeight) {
  return "glinfer name=segment output-size=model model=" + enlarging_model(height, width) + " " + properties;
}

// A color per position of the model input. Neighbors differ strongly.
std::array<double, 3> color_at(int32_t x, int32_t y) {
  return {static_cast<double>((x * 97 + y * 31) % 256), static_cast<double>((x * 59 + y * 113) % 256),
          static_cast<double>((x * 23 + y * 71 + 128) % 256)};
}

// The model input with each pixel as a block: however it is sampled, the center of a block has its color.
Rgba blocks(int32_t across, int32_t down, int32_t width = kWidth, int32_t height = kHeight) {
  return painted(width * across, height * down, [=](int32_t x, int32_t y) { return color_at(x / across, y / down); });
}

// The maximum difference from the expected model output, which is computed here.
using Input = std::function<std::array<double, 3>(int32_t, int32_t)>;
double difference(const Rgba& got, const Input& input, int32_t from_y = 0) {
  double largest = 0;
  for (int32_t y = from_y; y < got.height; ++y) {
    for (int32_t x = 0; x < got.width; ++x) {
      const std::array<double, 3> color = input(x / 2, y / 2);
      for (size_t c = 0; c < 3; ++c) {
        largest = std::max(largest, std::abs(got.at(x, y)[c] - color[c] * kEnlarged[y % 2 * 2 + x % 2]));
      }
    }
  }
  return largest;
}

struct Shape {
  int width = 0, height = 0, par_n = 0, par_d = 0;
  bool operator==(const Shape&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.width << 'x' << shape.height << " of " << shape.par_n << '/' << shape.par_d;
}

Shape output_of(const TestPipeline& pipeline) {
  GstPad* pad = pad_of(pipeline.element(), "src");
  GstCaps* caps = gst_pad_get_current_caps(pad);
  GstVideoInfo info;
  Shape shape;
  if (caps != nullptr && gst_video_info_from_caps(&info, caps)) {
    shape = {info.width, info.height, info.par_n, info.par_d};
  }
  gst_clear_caps(&caps);
  return shape;
}

constexpr double kRounding = 1;

TEST(OutputSize, IsThatOfTheModelWhateverTheFrameSize) {
  PlayingPipeline pipeline(enlarging());
  for (const auto& [across, down, par_n, par_d] :
       {std::array{1, 1, 1, 1}, {3, 3, 1, 1}, {5, 1, 5, 1}, {2, 2, 1, 1}, {1, 3, 1, 3}, {9, 9, 1, 1}, {1, 1, 1, 1}}) {
    for (int i = 0; i < 2; ++i) {
      const Rgba shown = pipeline.shown(blocks(across, down));
      EXPECT_EQ(output_of(pipeline), (Shape{2 * kWidth, 2 * kHeight, par_n, par_d}));
      ASSERT_EQ(shown.width, 2 * kWidth);
      ASSERT_EQ(shown.height, 2 * kHeight);
      const double largest = difference(shown, color_at);
      std::printf("%dx%d: differs by %.2f of 255\n", kWidth * across, kHeight * down, largest);
      EXPECT_LE(largest, kRounding);
    }
  }
  EXPECT_EQ(pipeline.error(), "");
}

TEST(OutputSize, AppliesToPlanarFrames) {
  PlayingPipeline pipeline(enlarging());
  for (const char* format : {"NV12", "I420"}) {
    const YuvPicture frame = noisy_picture(format, kWidth, kHeight, ",framerate=30/1,colorimetry=bt709");
    const std::vector<double> rgb = frame.to_rgb();
    const Rgba shown = pipeline.shown(frame.caps, frame.bytes);
    ASSERT_EQ(shown.width, 2 * kWidth);
    ASSERT_EQ(shown.height, 2 * kHeight);
    const double largest = difference(shown, [&](int32_t x, int32_t y) {
      const size_t at = (static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)) * 3;
      return std::array{rgb[at], rgb[at + 1], rgb[at + 2]};
    });
    std::printf("%s: differs by %.2f of 255\n", format, largest);
    EXPECT_LE(largest, 4) << "filters interpolate chroma with 8 bits";
  }
}

Rgba turned_to_the_left(const Rgba& upright) {
  Rgba stored(upright.height, upright.width);
  for (int32_t y = 0; y < upright.height; ++y) {
    for (int32_t x = 0; x < upright.width; ++x) std::copy_n(upright.at(x, y), 4, stored.at(y, upright.width - 1 - x));
  }
  return stored;
}

// Images are upright and have the same size, whatever the orientation of the stored frames.
TEST(OutputSize, MakesFramesUpright) {
  PlayingPipeline pipeline(enlarging("video-direction=90r"));
  const Rgba upright = blocks(1, 3);
  const Rgba shown = pipeline.shown(turned_to_the_left(upright));
  EXPECT_EQ(output_of(pipeline), (Shape{2 * kWidth, 2 * kHeight, 1, 3}));
  EXPECT_LE(difference(shown, color_at), kRounding);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", "identity");
  const Rgba turned = pipeline.shown(upright);
  EXPECT_LE(difference(turned, color_at), kRounding);
}

// With non-square pixels, and if downstream requires square ones.
TEST(OutputSize, KeepsTheDisplayAspectRatio) {
  for (const bool fixed : {false, true}) {
    PlayingPipeline pipeline(enlarging() + (fixed ? "! video/x-raw(memory:GLMemory),pixel-aspect-ratio=1/1" : ""));
    const Rgba frame = blocks(2, 1);
    const std::string caps = "video/x-raw,format=RGBA,width=32,height=12,framerate=30/1,pixel-aspect-ratio=4/3";
    const Rgba shown = pipeline.shown(caps, frame.pixels);
    EXPECT_EQ(output_of(pipeline), (Shape{2 * kWidth, 2 * kHeight, fixed ? 1 : 8, fixed ? 1 : 3}));
    EXPECT_LE(difference(shown, color_at), kRounding);
  }
}

// The output shows the model input: the center of a frame, or a frame with letterbox bars.
TEST(OutputSize, ShowsTheModelInput) {
  PlayingPipeline pipeline(enlarging("fit=cover"));
  const Rgba wide = blocks(1, 1, 2 * kWidth, kHeight);
  const Rgba middle = pipeline.shown(wide);
  EXPECT_EQ(output_of(pipeline), (Shape{2 * kWidth, 2 * kHeight, 1, 1})) << "like the pixels of the frame";
  const Input seen = [](int32_t x, int32_t y) { return color_at(x + kWidth / 2, y); };
  EXPECT_LE(difference(middle, seen), kRounding);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", "90r");
  const Rgba turned = pipeline.shown(turned_to_the_left(wide));
  EXPECT_LE(difference(turned, seen), kRounding) << "the center of the upright frame";
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", "identity");
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "fit", "stretch");
  ASSERT_TRUE(pipeline.pass(wide)) << pipeline.error();
  EXPECT_EQ(output_of(pipeline), (Shape{2 * kWidth, 2 * kHeight, 2, 1}));
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "fit", "letterbox");
  ASSERT_TRUE(pipeline.pass(wide)) << pipeline.error();
  EXPECT_EQ(output_of(pipeline), (Shape{2 * kWidth, 2 * kHeight, 1, 1}));
}

TEST(OutputSize, AppliesToMaps) {
  PlayingPipeline pipeline("glinfer name=segment output-size=model color-map=gray range-smoothing=0 model=" +
                           red_model());
  const Rgba shown = pipeline.shown(left_half_red(80, 64));
  EXPECT_EQ(output_of(pipeline), (Shape{16, 16, 5, 4}));
  for (int32_t y = 0; y < 16; ++y) {
    for (int32_t x = 0; x < 16; ++x) EXPECT_NEAR(shown.at(x, y)[1], x < 8 ? 255 : 0, 1) << x << ' ' << y;
  }
}

// Without the model image, the output is the frame at that size, with the HUD over it.
TEST(OutputSize, AppliesToTheFrameAndTheHud) {
  constexpr int32_t kLarge = 128;
  PlayingPipeline pipeline(enlarging("draw=false", kLarge, kLarge));
  const Rgba frame = pipeline.shown(left_half_red(kLarge, kLarge));
  ASSERT_EQ(frame.width, 2 * kLarge);
  EXPECT_EQ(frame.at(kLarge - 8, 200)[0], kRed[0]);
  EXPECT_EQ(frame.at(kLarge + 8, 200)[0], kGray[0]);
  g_object_set(pipeline.element(), "draw", TRUE, "hud", TRUE, nullptr);
  const Rgba covered = pipeline.shown(blocks(1, 1, kLarge, kLarge));
  EXPECT_GT(difference(covered, color_at), 50) << "the HUD";
  EXPECT_LE(difference(covered, color_at, 3 * kLarge / 2), kRounding) << "and the image below it";
}

TEST(OutputSize, SurvivesStateChangesAndSeeks) {
  TestPipeline pipeline(enlarging());
  for (int cycle = 0; cycle < 6; ++cycle) {
    const bool own = cycle % 3 != 2;
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "output-size", own ? "model" : "frame");
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    for (const int factor : {1, 2}) {
      const Rgba shown = pipeline.shown(blocks(factor, factor));
      EXPECT_EQ(shown.width, own ? 2 * kWidth : factor * kWidth);
      ASSERT_TRUE(pipeline.flush());
    }
    ASSERT_TRUE(pipeline.set_state(cycle % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL, true));
  }
  EXPECT_EQ(pipeline.error(), "");
}

TEST(OutputSize, IsOnlyForImageModels) {
  TestPipeline pipeline("glinfer name=segment output-size=model task=tensors model=" + red_model());
  pipeline.set_state(GST_STATE_PLAYING);
  const std::string error = pipeline.error(5);
  EXPECT_NE(error.find("output-size=model"), std::string::npos) << error;
  EXPECT_NE(error.find("tensors"), std::string::npos) << error;
}

TEST(OutputSize, WorksInTheBin) {
  const Launched pipeline("videotestsrc num-buffers=3 ! video/x-raw,format=NV12,width=64,height=48 ! " +
                          ("glinferbin name=bin output-size=model model=" + enlarging_model(kHeight, kWidth)) +
                          " ! video/x-raw ! appsink name=sink sync=false");
  pipeline.play();
  GstSample* sample = pipeline.pull();
  ASSERT_NE(sample, nullptr);
  GstVideoInfo info;
  ASSERT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
  EXPECT_EQ(info.width, 2 * kWidth);
  EXPECT_EQ(info.height, 2 * kHeight);
  EXPECT_EQ(gst_buffer_get_size(gst_sample_get_buffer(sample)), info.size);
  gst_sample_unref(sample);
}

}  // namespace
}  // namespace sightglass::test

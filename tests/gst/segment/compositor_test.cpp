// The compositor by itself, on masks made by the test.
#include "segment/compositor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compositor_case.h"
#include "harness/gl_state.h"

namespace sightglass::test {
namespace {

TEST_F(CompositorTest, ForegroundIsUntouched) {
  const Rgba frame = make_frame(64, 48);
  for (const Background background :
       {Background::kBlur, Background::kColor, Background::kImage, Background::kTransparent}) {
    EXPECT_EQ(largest_difference(draw_uniform(frame, 1, look_of(background)), frame), 0)
        << "background " << static_cast<int>(background);
  }
  EXPECT_EQ(largest_difference(draw_uniform(frame, 1, look_of(Background::kMask)), solid(64, 48, {255, 255, 255, 255})),
            0);
}

TEST_F(CompositorTest, BackgroundIsReplaced) {
  const Rgba frame = make_frame(33, 21);
  SegmentLook look = look_of(Background::kColor);
  look.color = {1, 0.2F, 0.4F, 0.6F};
  EXPECT_LE(largest_difference(draw_uniform(frame, 0, look), solid(33, 21, {255, 51, 102, 153})), 1);
  EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look_of(Background::kMask)), solid(33, 21, {0, 0, 0, 255})), 0);
  const Rgba clear = draw_uniform(frame, 0, look_of(Background::kTransparent));
  for (size_t i = 3; i < clear.pixels.size(); i += 4) ASSERT_EQ(clear.pixels[i], 0);
}

TEST_F(CompositorTest, ThresholdAndSoftness) {
  const Rgba frame = solid(16, 16, {255, 255, 255, 255});
  const auto opacity = [&](float probability, float threshold, float softness) {
    SegmentLook look = look_of(Background::kMask);
    look.threshold = threshold;
    look.softness = softness;
    return draw_uniform(frame, probability, look).at(8, 8)[0];
  };
  EXPECT_EQ(opacity(0.49F, 0.5F, 0), 0);
  EXPECT_EQ(opacity(0.51F, 0.5F, 0), 255);
  EXPECT_NEAR(opacity(0.5F, 0.5F, 0.4F), 127.5, 1);
  EXPECT_EQ(opacity(0.29F, 0.5F, 0.4F), 0);
  EXPECT_EQ(opacity(0.71F, 0.5F, 0.4F), 255);
  EXPECT_EQ(opacity(0, 0.1F, 1), 0) << "certain background must not shine through";
  EXPECT_EQ(opacity(1, 0.9F, 1), 255) << "certain foreground must be opaque";
  EXPECT_EQ(opacity(1, 1, 0), 255);
  EXPECT_EQ(opacity(0, 0, 0), 0);
}

TEST_F(CompositorTest, TransparentOutputHasStraightColors) {
  SegmentLook look = look_of(Background::kTransparent);
  look.softness = 1;
  const Rgba out = draw_uniform(solid(16, 16, {200, 100, 50, 255}), 0.5F, look);
  EXPECT_NEAR(out.at(8, 8)[3], 127.5, 1);
  EXPECT_NEAR(out.at(8, 8)[0], 200, 1);
  EXPECT_NEAR(out.at(8, 8)[2], 50, 1);
}

// Soft edges pass through alphas below one step of 8 bits.
TEST_F(CompositorTest, TransparentPixelsStoreNoColor) {
  const Rgba frame = make_frame(640, 480);
  std::vector<float> mask;
  for (int i = 0; i < 64 * 64; ++i)
    mask.push_back(std::clamp(1.4F - std::hypot(i % 64 - 31.5F, i / 64 - 31.5F) / 20, 0.0F, 1.0F));
  for (const bool premultiply : {false, true}) {
    for (const float feather : {0.0F, 24.0F}) {
      for (const float softness : {0.5F, 1.0F}) {
        SegmentLook look = look_of(Background::kTransparent);
        look.premultiply = premultiply;
        look.feather = feather;
        look.softness = softness;
        const Rgba out = draw(frame, 64, 64, mask, look);
        int hidden = 0, colored = 0, faint = 0;
        for (size_t i = 0; i < out.pixels.size(); i += 4) {
          const uint8_t* pixel = &out.pixels[i];
          hidden += pixel[3] == 0 ? 1 : 0;
          faint += pixel[3] > 0 && pixel[3] < 8 ? 1 : 0;
          colored += pixel[3] == 0 && (pixel[0] != 0 || pixel[1] != 0 || pixel[2] != 0) ? 1 : 0;
        }
        std::printf("%s, feather %2.0f, softness %.1f: %d pixels with colors of %d with an alpha of 0, %d of 1 to 7\n",
                    premultiply ? "premultiplied" : "straight", static_cast<double>(feather),
                    static_cast<double>(softness), colored, hidden, faint);
        EXPECT_EQ(colored, 0);
        EXPECT_GT(hidden, 1000);
        EXPECT_GT(faint, 100) << "an edge that is soft enough to show it";
      }
    }
  }
}

TEST_F(CompositorTest, BlurKeepsAUniformFrame) {
  const Rgba frame = solid(75, 51, {180, 90, 30, 255});
  std::vector<float> mask(64);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<float>(i * 29 % 64) / 63;
  for (const float radius : {0.0F, 1.0F, 3.0F, 8.0F, 24.0F, 100.0F, 256.0F, 1024.0F}) {
    for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
      SegmentLook look = look_of(Background::kBlur);
      look.blur_radius = radius;
      look.bokeh = bokeh;
      EXPECT_LE(largest_difference(draw(frame, 8, 8, mask, look), frame), 2)
          << "radius " << radius << ", bokeh " << static_cast<int>(bokeh);
    }
  }
}

// The derivative of the response to an edge has the variance of the blur.
TEST_F(CompositorTest, BlurHasTheRequestedRadius) {
  Rgba frame(512, 64);
  for (int32_t y = 0; y < 64; ++y) {
    for (int32_t x = 0; x < 512; ++x) {
      std::fill_n(frame.at(x, y), 3, static_cast<uint8_t>(x < 256 ? 0 : 255));
      frame.at(x, y)[3] = 255;
    }
  }
  for (const float radius : {4.0F, 6.0F, 10.0F, 16.0F, 24.0F, 40.0F, 64.0F, 100.0F}) {
    SegmentLook look = look_of(Background::kBlur);
    look.blur_radius = radius;
    const Rgba out = draw_uniform(frame, 0, look);
    double mass = 0, mean = 0, square = 0;
    for (int32_t x = 1; x < 512; ++x) {
      const double step = out.at(x, 32)[0] - out.at(x - 1, 32)[0];
      mass += step;
      mean += step * x;
      square += step * x * x;
    }
    mean /= mass;
    const double sigma = std::sqrt(square / mass - mean * mean);
    std::printf("blur-radius %5.1f: standard deviation %.2f px, wanted %.2f\n", static_cast<double>(radius), sigma,
                0.5 * static_cast<double>(radius));
    EXPECT_NEAR(sigma, 0.5 * static_cast<double>(radius), 0.3 + 0.05 * static_cast<double>(radius));
    EXPECT_NEAR(mean, 256, 1) << "the blur must not shift the image";
  }
}

TEST_F(CompositorTest, ForegroundDoesNotBleedIntoTheBlur) {
  constexpr int32_t kSize = 256;
  Rgba frame(kSize, kSize);
  for (int32_t y = 0; y < kSize; ++y) {
    for (int32_t x = 0; x < kSize; ++x) {
      const bool person = x < kSize / 2;
      const uint8_t color[4] = {static_cast<uint8_t>(person ? 255 : 0), static_cast<uint8_t>(person ? 0 : 200), 0, 255};
      std::copy_n(color, 4, frame.at(x, y));
    }
  }
  std::vector<float> mask;
  for (int i = 0; i < 64 * 64; ++i) mask.push_back(i % 64 < 32 ? 1 : 0);
  for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
    SegmentLook look = look_of(Background::kBlur);
    look.blur_radius = 40;
    look.bokeh = bokeh;
    look.softness = 0;
    const Rgba out = draw(frame, 64, 64, mask, look);
    int red = 0, green = 255;
    for (int32_t x = kSize / 2 + 8; x < kSize; ++x) {
      red = std::max<int>(red, out.at(x, kSize / 2)[0]);
      green = std::min<int>(green, out.at(x, kSize / 2)[1]);
    }
    std::printf("%s, background next to the person: red at most %d of 255, green at least %d of 200\n",
                bokeh == Bokeh::kDisc ? "disc" : "gaussian", red, green);
    EXPECT_LE(red, 8);
    EXPECT_GE(green, 190);
  }
}

TEST_F(CompositorTest, AnySize) {
  std::vector<float> mask(9 * 5);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 0 ? 1 : 0;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {3, 5}, {17, 333}, {641, 479}}) {
    const Rgba frame = make_frame(width, height);
    for (const Background background : {Background::kBlur, Background::kColor, Background::kMask}) {
      for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
        SegmentLook look = look_of(background);
        look.blur_radius = 256;
        look.bokeh = bokeh;
        const Rgba out = draw(frame, 9, 5, mask, look);
        for (size_t i = 3; i < out.pixels.size(); i += 4) ASSERT_EQ(out.pixels[i], 255) << width << "x" << height;
      }
    }
  }
}

// A mask with one corner set, with each fit: the corner must not move.
TEST_F(CompositorTest, MaskIsWhereTheModelSampledTheFrame) {
  const Rgba frame = make_frame(120, 60);
  std::vector<float> mask(32 * 32, 0);
  for (const Fit fit : {Fit::kStretch, Fit::kLetterbox}) {
    const InputTransform transform = make_input_transform(120, 60, 32, 32, fit);
    // Letterboxed, the frame takes the rows 8 to 24.
    const int top = fit == Fit::kLetterbox ? 8 : 0, bottom = fit == Fit::kLetterbox ? 16 : 16;
    std::fill(mask.begin(), mask.end(), 0.0F);
    for (int y = top; y < bottom; ++y) std::fill_n(mask.begin() + y * 32, 16, 1.0F);
    const Rgba out = draw(frame, 32, 32, mask, look_of(Background::kMask), transform);
    EXPECT_EQ(out.at(20, 10)[0], 255) << "fit " << static_cast<int>(fit);
    EXPECT_EQ(out.at(100, 10)[0], 0);
    EXPECT_EQ(out.at(20, 50)[0], 0);
    EXPECT_EQ(out.at(100, 50)[0], 0);
    EXPECT_EQ(out.at(2, 1)[0], 255) << "the empty bars must not affect the border of the frame";
  }
}

TEST_F(CompositorTest, ImageCanBeSetAndCleared) {
  const Rgba frame = make_frame(20, 10);
  const SegmentLook look = look_of(Background::kImage);
  ASSERT_TRUE(compositor_->resize(20, 10).ok());
  width_ = 20, height_ = 10;
  const Rgba picture = solid(20, 10, {10, 20, 30, 255});
  ASSERT_TRUE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels))).ok());
  EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look), picture), 0);
  EXPECT_FALSE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels).first(16))).ok());
  ASSERT_TRUE(compositor_->resize(10, 20).ok());
  EXPECT_FALSE(compositor_->has_picture());
}

TEST_F(CompositorTest, LeavesGlStateAsFound) {
  const Rgba frame = make_frame(40, 30);
  gl().Viewport(1, 2, 3, 4);
  draw_uniform(frame, 0.5F, look_of(Background::kBlur));  // state that the helpers leave behind is set from now on
  const GlState before = snapshot_gl_state(gl());
  for (const Background background :
       {Background::kBlur, Background::kColor, Background::kImage, Background::kTransparent, Background::kMask}) {
    draw_uniform(frame, 0.5F, look_of(background));
    EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "background " << static_cast<int>(background);
  }
  SegmentLook disc = look_of(Background::kBlur);
  disc.bokeh = Bokeh::kDisc;
  draw_uniform(frame, 0.5F, disc);
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "a disc";
  gl().ActiveTexture(GL_TEXTURE3);
  EXPECT_NE(difference(before, snapshot_gl_state(gl())), "") << "the snapshot must detect changes";
  gl().ActiveTexture(GL_TEXTURE0);
}

}  // namespace
}  // namespace sightglass::test

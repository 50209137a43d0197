// The background of the compositor, and the transition to the foreground.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compositor_case.h"

namespace sightglass::test {
namespace {

using BackgroundTest = CompositorTest;

constexpr int32_t kSize = 256, kMaskSize = 64;

// Foreground is the left half.
std::vector<float> left_half() {
  std::vector<float> mask;
  for (int i = 0; i < kMaskSize * kMaskSize; ++i) mask.push_back(i % kMaskSize < kMaskSize / 2 ? 1 : 0);
  return mask;
}

SegmentLook hard(Background background) {
  SegmentLook look = look_of(background);
  look.softness = 0;
  return look;
}

// Standard deviation and mean of the steps in a row, treated as a distribution.
struct Edge {
  double sigma = 0, place = 0;
};
Edge edge_of(const Rgba& picture) {
  double mass = 0, mean = 0, square = 0;
  for (int32_t x = 1; x < picture.width; ++x) {
    const double step = picture.at(x - 1, picture.height / 2)[0] - picture.at(x, picture.height / 2)[0];
    mass += step;
    mean += step * (x - 0.5);
    square += step * (x - 0.5) * (x - 0.5);
  }
  mean /= mass;
  return {std::sqrt(std::max(0.0, square / mass - mean * mean)), mean + 0.5};
}

TEST_F(BackgroundTest, FeatherSpreadsTheEdgeToBothSides) {
  const Rgba frame = solid(kSize, kSize, {255, 255, 255, 255});
  for (const float feather : {0.0F, 3.0F, 6.0F, 12.0F, 24.0F, 40.0F}) {
    SegmentLook look = hard(Background::kMask);
    look.feather = feather;
    const Rgba mask = draw(frame, kMaskSize, kMaskSize, left_half(), look);
    const Edge edge = edge_of(mask);
    std::printf("feather %4.1f: the edge's standard deviation is %.2f px, at %.1f\n", static_cast<double>(feather),
                edge.sigma, edge.place);
    EXPECT_NEAR(edge.sigma, 0.5 * static_cast<double>(feather), 0.5 + 0.05 * static_cast<double>(feather));
    EXPECT_NEAR(edge.place, kSize / 2, 1) << "the edge must not move";
    // At the stated distance, little of it remains.
    const auto reach = static_cast<int32_t>(std::lround(feather)) + 2;
    EXPECT_GE(mask.at(kSize / 2 - reach, kSize / 2)[0], 240);
    EXPECT_LE(mask.at(kSize / 2 + reach, kSize / 2)[0], 15);
  }
}

TEST_F(BackgroundTest, NegativeFeatherSpreadsTheEdgeInwards) {
  const Rgba frame = solid(kSize, kSize, {255, 255, 255, 255});
  for (const float feather : {-1.0F, -6.0F, -12.0F, -24.0F, -40.0F}) {
    SegmentLook look = hard(Background::kMask);
    look.feather = feather;
    const Rgba mask = draw(frame, kMaskSize, kMaskSize, left_half(), look);
    const auto width = std::max(6, static_cast<int32_t>(std::lround(-feather)));
    const int outside = mask.at(kSize / 2 + 2, kSize / 2)[0], inside = mask.at(kSize / 2 - width - 2, kSize / 2)[0];
    std::printf("feather %5.1f: the edge is at %.1f; opacity %d beyond it, %d of 255 at its inner end\n",
                static_cast<double>(feather), edge_of(mask).place, outside, inside);
    EXPECT_NEAR(edge_of(mask).place, kSize / 2 - width / 2, 1);
    EXPECT_LE(outside, 6);
    EXPECT_GE(inside, 249);
  }
}

// Radius of the disc that has the mask's area.
double radius_of(const Rgba& mask) {
  double area = 0;
  for (size_t i = 0; i < mask.pixels.size(); i += 4) area += mask.pixels[i] / 255.0;
  return std::sqrt(area / 3.14159265);
}

TEST_F(BackgroundTest, EdgesMoveInAllDirectionsAndStayAsSharp) {
  const Rgba frame = solid(kSize, kSize, {255, 255, 255, 255});
  std::vector<float> disc;
  for (int i = 0; i < kMaskSize * kMaskSize; ++i) {
    disc.push_back(std::clamp(0.5F + 16 - std::hypot(i % kMaskSize - 31.5F, i / kMaskSize - 31.5F), 0.0F, 1.0F));
  }
  SegmentLook look = look_of(Background::kMask);
  const Rgba plain_disc = draw(frame, kMaskSize, kMaskSize, disc, look);
  const Edge plain = edge_of(draw(frame, kMaskSize, kMaskSize, left_half(), look));
  for (const float offset : {-32.0F, -8.0F, -3.0F, -1.0F, 1.0F, 3.0F, 8.0F, 32.0F}) {
    look.edge_offset = offset;
    const Edge edge = edge_of(draw(frame, kMaskSize, kMaskSize, left_half(), look));
    const double moved = edge.place - plain.place;
    const double grown = radius_of(draw(frame, kMaskSize, kMaskSize, disc, look)) - radius_of(plain_disc);
    std::printf("edge-offset %5.1f: a line moves by %.2f px, a circle by %.2f; deviation %.2f px, was %.2f\n",
                static_cast<double>(offset), moved, grown, edge.sigma, plain.sigma);
    EXPECT_NEAR(moved, static_cast<double>(offset), 0.7);
    EXPECT_NEAR(grown, static_cast<double>(offset), 0.7);
    EXPECT_LT(edge.sigma, plain.sigma + 1.5) << "what half the size of the frame adds";
  }
}

TEST_F(BackgroundTest, LightWrapsAroundTheEdge) {
  const Rgba frame = solid(kSize, kSize, {20, 20, 20, 255});
  for (const Background background : {Background::kColor, Background::kImage}) {
    SegmentLook look = hard(background);
    look.color = {1, 0.5F, 0, 1};
    ASSERT_TRUE(compositor_->resize(kSize, kSize).ok());
    width_ = height_ = kSize;
    const Rgba picture = solid(kSize, kSize, {255, 128, 0, 255});
    if (background == Background::kImage) {
      ASSERT_TRUE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels))).ok());
    }
    const Rgba plain = draw(frame, kMaskSize, kMaskSize, left_half(), look);
    look.light_wrap = 0.8F;
    const Rgba wrapped = draw(frame, kMaskSize, kMaskSize, left_half(), look);
    const auto at = [&](const Rgba& of, int32_t x, int channel) {
      return static_cast<int>(of.at(x, kSize / 2)[channel]);
    };
    EXPECT_EQ(at(plain, kSize / 2 - 4, 0), 20);
    EXPECT_GT(at(wrapped, kSize / 2 - 4, 0), 60) << "next to the edge it is lit";
    EXPECT_GT(at(wrapped, kSize / 2 - 4, 0), at(wrapped, kSize / 2 - 4, 1)) << "by the color of the background";
    EXPECT_EQ(at(wrapped, kSize / 2 - 4, 2), 20) << "which has no blue";
    EXPECT_GT(at(wrapped, kSize / 2 - 4, 0), at(wrapped, kSize / 2 - 8, 0)) << "decreasing inward";
    EXPECT_LE(at(wrapped, 40, 0), 21) << "and not at all far from it";
    EXPECT_EQ(at(wrapped, kSize - 20, 0), 255) << "the background is unchanged";
    EXPECT_NEAR(at(wrapped, kSize - 20, 1), 128, 1);
  }
  SegmentLook look = hard(Background::kTransparent);
  look.light_wrap = 1;
  EXPECT_EQ(draw(frame, kMaskSize, kMaskSize, left_half(), look).at(kSize / 2 - 4, 20)[0], 20)
      << "an empty background has no light";
}

TEST_F(BackgroundTest, AlphaMayBePremultiplied) {
  SegmentLook look = look_of(Background::kTransparent);
  look.softness = 1;
  look.premultiply = true;
  const Rgba out = draw_uniform(solid(16, 16, {200, 100, 50, 255}), 0.5F, look);
  EXPECT_NEAR(out.at(8, 8)[3], 127.5, 1);
  EXPECT_NEAR(out.at(8, 8)[0], 100, 1);
  EXPECT_NEAR(out.at(8, 8)[1], 50, 1);
  EXPECT_NEAR(out.at(8, 8)[2], 25, 1);
  SegmentLook color = look_of(Background::kColor);
  color.color = {1, 0.5F, 0, 0.4F};
  color.premultiply = true;
  const Rgba behind = draw_uniform(solid(16, 16, {200, 100, 50, 255}), 0, color);
  EXPECT_NEAR(behind.at(8, 8)[0], 102, 1);
  EXPECT_NEAR(behind.at(8, 8)[3], 102, 1);
}

// A transparent frame is over the new background, and stays transparent without one.
TEST_F(BackgroundTest, FramesMayBeTransparent) {
  Rgba frame = solid(16, 16, {200, 100, 50, 255});
  for (int32_t y = 0; y < 16; ++y) {
    for (int32_t x = 0; x < 8; ++x) frame.at(x, y)[3] = x < 4 ? 0 : 51;
  }
  const Rgba picture = solid(16, 16, {0, 0, 255, 255});
  for (const float foreground : {0.0F, 1.0F}) {
    for (const Background background : {Background::kColor, Background::kImage}) {
      ASSERT_TRUE(compositor_->resize(16, 16).ok());
      width_ = height_ = 16;
      ASSERT_TRUE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels))).ok());
      SegmentLook look = look_of(background);
      look.color = {0, 0, 1, 1};
      const Rgba out = draw_uniform(frame, foreground, look);
      const auto expect = [&](int32_t x, int red, int blue) {
        EXPECT_NEAR(out.at(x, 8)[0], red, 1) << x << " foreground " << foreground;
        EXPECT_NEAR(out.at(x, 8)[2], blue, 1) << x << " foreground " << foreground;
        EXPECT_EQ(out.at(x, 8)[3], 255) << x << " foreground " << foreground;
      };
      expect(1, 0, 255);
      expect(6, foreground > 0 ? 40 : 0, foreground > 0 ? 214 : 255);
      expect(12, foreground > 0 ? 200 : 0, foreground > 0 ? 50 : 255);
    }
  }
  const Rgba cut = draw_uniform(frame, 1, look_of(Background::kTransparent));
  EXPECT_EQ(cut.at(1, 8)[3], 0);
  EXPECT_NEAR(cut.at(6, 8)[3], 51, 1);
  EXPECT_EQ(cut.at(12, 8)[3], 255);
}

// Colors of invisible pixels do not bleed into the blur.
TEST_F(BackgroundTest, BlurWeighsPixelsByTheirAlpha) {
  Rgba frame = solid(kSize, kSize, {10, 200, 10, 255});
  for (int32_t y = 0; y < kSize; ++y) {
    for (int32_t x = 0; x < kSize / 2; ++x) {
      const std::array<uint8_t, 4> hidden{255, 0, 255, 0};
      std::copy(hidden.begin(), hidden.end(), frame.at(x, y));
    }
  }
  SegmentLook look = look_of(Background::kBlur);
  look.blur_radius = 20;
  const Rgba out = draw_uniform(frame, 0, look);
  EXPECT_NEAR(out.at(kSize / 2 + 2, kSize / 2)[0], 10, 6);
  EXPECT_NEAR(out.at(kSize / 2 + 2, kSize / 2)[1], 200, 6);
  EXPECT_EQ(out.at(kSize / 2 + 2, kSize / 2)[3], 255);
  EXPECT_EQ(out.at(4, kSize / 2)[3], 0);
}

TEST_F(BackgroundTest, BarsHaveTheColor) {
  const Rgba frame = make_frame(40, 20);
  ASSERT_TRUE(compositor_->resize(40, 20).ok());
  width_ = 40, height_ = 20;
  const Rgba picture = solid(40, 20, {10, 20, 30, 255});
  ASSERT_TRUE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels)), {0.25F, 0, 0.75F, 1}).ok());
  SegmentLook look = look_of(Background::kImage);
  look.color = {1, 0, 0, 1};
  const Rgba out = draw_uniform(frame, 0, look);
  for (int32_t x = 0; x < 40; ++x) {
    EXPECT_EQ(out.at(x, 7)[0], x >= 10 && x < 30 ? 10 : 255) << x;
  }
}

// A foreground that is much brighter than the background does not bleed into the blur at a correct mask edge.
TEST_F(BackgroundTest, BrightForegroundDoesNotBleed) {
  const Rgba frame = painted(kSize, kSize, [](int32_t x, int32_t) {
    return x < kSize / 2 ? std::array{255, 255, 255} : std::array{16, 16, 16};
  });
  for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
    for (const float radius : {12.0F, 40.0F, 100.0F}) {
      SegmentLook look = hard(Background::kBlur);
      look.blur_radius = radius;
      look.bokeh = bokeh;
      const Rgba out = draw(frame, kMaskSize, kMaskSize, left_half(), look);
      int brightest = 0;
      for (int32_t x = kSize / 2 + 6; x < kSize; ++x) brightest = std::max<int>(brightest, out.at(x, kSize / 2)[0]);
      std::printf("%s, blur-radius %3.0f: white foreground on 16 of 255 makes %d\n",
                  bokeh == Bokeh::kDisc ? "disc" : "gaussian", static_cast<double>(radius), brightest);
      EXPECT_LE(brightest, 21);
    }
  }
}

// A small light that moves by one pixel per frame: its blur follows, and neither flickers nor jumps.
TEST_F(BackgroundTest, AMovingLightDoesNotSparkle) {
  constexpr int32_t kDot = 6, kSteps = 24;
  for (const float radius : {6.0F, 16.0F, 24.0F, 48.0F}) {
    SegmentLook look = look_of(Background::kBlur);
    look.blur_radius = radius;
    std::vector<double> sums;
    std::vector<int> peaks;
    for (int32_t step = 0; step < kSteps; ++step) {
      Rgba frame = solid(kSize, kSize, {0, 0, 0, 255});
      for (int32_t y = 0; y < kDot; ++y) {
        for (int32_t x = 0; x < kDot; ++x) std::fill_n(frame.at(110 + step + x, 120 + step / 2 + y), 3, 255);
      }
      const Rgba out = draw_uniform(frame, 0, look);
      double sum = 0;
      int peak = 0;
      for (size_t i = 0; i < out.pixels.size(); i += 4) {
        sum += out.pixels[i];
        peak = std::max<int>(peak, out.pixels[i]);
      }
      sums.push_back(sum);
      peaks.push_back(peak);
    }
    const auto [dimmest, brightest] = std::ranges::minmax(peaks);
    std::printf("blur-radius %2.0f: the light's peak is between %d and %d of 255\n", static_cast<double>(radius),
                dimmest, brightest);
    EXPECT_GT(dimmest, 0);
    EXPECT_LE(brightest - dimmest, std::max(2, brightest / 20));
    if (radius <= 24) {
      const auto [least, most] = std::ranges::minmax(sums);  // 8 bits cut off the tails of wide blurs
      EXPECT_LE(most - least, 0.08 * most);
    }
  }
}

}  // namespace
}  // namespace sightglass::test

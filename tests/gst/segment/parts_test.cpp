// The parts of the element that need neither GL nor a pipeline.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "element/element_stats.h"
#include "gl_pictures.h"
#include "harness/scratch_folder.h"
#include "segment/blur.h"
#include "segment/mask_model.h"
#include "segment/picture.h"

namespace sightglass::test {
namespace {

TEST(ParseClasses, AcceptsOnlyLists) {
  using List = std::vector<int32_t>;
  EXPECT_EQ(parse_classes("").value(), List());
  EXPECT_EQ(parse_classes("15").value(), List({15}));
  EXPECT_EQ(parse_classes("1,2").value(), List({1, 2}));
  EXPECT_EQ(parse_classes(" 1 , 20 ").value(), List({1, 20}));
  for (const char* wrong : {"a", "1;2", "1 2", "-1", "1,", ",1", "1,,2", "99999999999", "1.5"}) {
    const auto result = parse_classes(wrong);
    ASSERT_FALSE(result.ok()) << wrong;
    EXPECT_NE(result.status().message().find(wrong), std::string::npos) << result.status().message();
  }
}

constexpr uint64_t kMs = 1'000'000;

TEST(LatencyMeter, RoundsUpAndReportsAtMostOncePerSecond) {
  LatencyMeter meter;
  uint64_t now = 1000 * kMs;
  EXPECT_EQ(meter.latency_ns(), 0U);
  EXPECT_TRUE(meter.add(11 * kMs, now += 33 * kMs));
  EXPECT_EQ(meter.latency_ns(), 15 * kMs);
  EXPECT_FALSE(meter.add(40 * kMs, now += 33 * kMs)) << "not yet";
  EXPECT_TRUE(meter.add(12 * kMs, now += 1000 * kMs)) << "the slowest of the past second counts";
  EXPECT_EQ(meter.latency_ns(), 40 * kMs);
}

TEST(LatencyMeter, IgnoresNoise) {
  LatencyMeter meter;
  uint64_t now = 1000 * kMs;
  for (int i = 0; i < 3; ++i) meter.add(14 * kMs, now += kMs);
  ASSERT_EQ(meter.latency_ns(), 15 * kMs);
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(meter.add((i % 2 == 0 ? 8 : 9) * kMs, now += 33 * kMs)) << i;
  EXPECT_EQ(meter.latency_ns(), 15 * kMs);
  bool changed = false;
  for (int i = 0; i < 80; ++i) changed = meter.add(2 * kMs, now += 33 * kMs) || changed;
  EXPECT_TRUE(changed);
  EXPECT_EQ(meter.latency_ns(), 5 * kMs);
}

TEST(BlurRecipe, WeightsAddUp) {
  for (float radius = 0; radius <= 1200; radius += 0.7F) {
    const BlurRecipe recipe = BlurRecipe::for_radius(radius);
    ASSERT_GE(recipe.levels, 1);
    ASSERT_LE(recipe.levels, kMaxBlurLevels);
    float sum = recipe.center;
    for (size_t i = 0; i < 4; ++i) sum += 2 * recipe.taps[4 * i + 1];
    ASSERT_NEAR(sum, 1, 1e-5) << "radius " << radius;
    ASSERT_LE(recipe.taps[12], 8) << "radius " << radius;
  }
  EXPECT_EQ(BlurRecipe::for_radius(0).share, 0) << "no radius, no blur";
}

TEST(DiscRecipe, WeightsAddUp) {
  int most = 0;
  for (float radius = 0; radius <= 1200; radius += 0.07F) {
    const DiscRecipe recipe = DiscRecipe::for_radius(radius);
    ASSERT_GE(recipe.levels, 1);
    ASSERT_LE(recipe.levels, kMaxBlurLevels);
    ASSERT_LE(recipe.count, kDiscTaps) << "radius " << radius;
    float sum = recipe.center;
    for (size_t i = 0; i < static_cast<size_t>(recipe.count); ++i) {
      sum += 4 * recipe.taps[i][2];
      ASSERT_LE(std::hypot(recipe.taps[i][0], recipe.taps[i][1]), 9) << "radius " << radius;
    }
    ASSERT_NEAR(sum, 1, 1e-4) << "radius " << radius;
    most = std::max(most, recipe.count);
  }
  std::printf("at most %d taps\n", most);
  EXPECT_EQ(DiscRecipe::for_radius(0).share, 0) << "no radius, no blur";
}

TEST(Picture, CoversAnyShape) {
  const std::string path = scratch_folder() / "picture.png";
  Rgba picture(40, 20);  // left half red, right half blue, all of it half transparent
  for (int32_t y = 0; y < 20; ++y) {
    for (int32_t x = 0; x < 40; ++x) {
      picture.at(x, y)[x < 20 ? 0 : 2] = 255;
      picture.at(x, y)[3] = 128;
    }
  }
  ASSERT_TRUE(save_png(picture, path));
  const auto loaded = Picture::load(path, 64);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (const auto& [width, height] : {std::pair{40, 20}, {100, 100}, {7, 300}, {300, 7}, {1, 1}}) {
    const auto scaled = (*loaded)->scale(width, height, PictureFit::kCover);
    ASSERT_TRUE(scaled.ok());
    ASSERT_EQ(scaled->pixels.size(), static_cast<size_t>(width) * static_cast<size_t>(height) * 4);
    EXPECT_EQ(scaled->place, (std::array<float, 4>{0, 0, 1, 1}));
    const auto at = [&, w = width](int32_t x, int32_t y, int channel) {
      return std::to_integer<int>(scaled->pixels[(static_cast<size_t>(y) * w + x) * 4 + channel]);
    };
    EXPECT_EQ(at(0, 0, 3), 128) << width << "x" << height;
    if (width < 40) continue;  // so narrow that only the center is visible
    EXPECT_EQ(at(0, height / 2, 0), 255) << width << "x" << height;
    EXPECT_EQ(at(width - 1, height / 2, 2), 255) << width << "x" << height;
  }
  // Twice as wide as high, and complete.
  const auto high = (*loaded)->scale(60, 90, PictureFit::kContain),
             wide = (*loaded)->scale(300, 60, PictureFit::kContain);
  ASSERT_TRUE(high.ok() && wide.ok());
  EXPECT_EQ(high->place, (std::array<float, 4>{0, 30.0F / 90, 1, 60.0F / 90}));
  EXPECT_EQ(wide->place, (std::array<float, 4>{90.0F / 300, 0, 210.0F / 300, 1}));
  for (const int32_t size : {1, 2, 3, 7}) {
    EXPECT_TRUE((*loaded)->scale(size, 300, PictureFit::kContain).ok());
    EXPECT_TRUE((*loaded)->scale(300, size, PictureFit::kContain).ok());
  }
}

TEST(Picture, OversizedImagesAreRejected) {
  const std::string path = scratch_folder() / "large.png";
  ASSERT_TRUE(save_png(Rgba(65, 10), path));
  const auto result = Picture::load(path, 64);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find(path + ": it has 65x10 pixels"), std::string::npos)
      << result.status().message();
  EXPECT_TRUE(Picture::load(path, 65).ok());
}

TEST(Picture, ErrorNamesTheFile) {
  const auto result = Picture::load("/nonexistent/beach.jpg", 64);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("/nonexistent/beach.jpg"), std::string::npos);
}

}  // namespace
}  // namespace sightglass::test

// The HUD and legends over images, and the statistics in the HUD.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "draw/hud.h"
#include "element/element_stats.h"
#include "gl/counting_gl.h"
#include "harness/gl_test.h"

namespace sightglass::test {
namespace {

TEST(Percentiles, AreNearestRanks) {
  Percentiles percentiles;
  EXPECT_EQ(percentiles.at(50), 0U);
  percentiles.add(7);
  EXPECT_EQ(percentiles.at(50), 7U);
  EXPECT_EQ(percentiles.at(95), 7U);
  percentiles.forget();
  for (uint64_t i = 100; i > 0; --i) percentiles.add(i);
  EXPECT_EQ(percentiles.count(), 100U);
  EXPECT_EQ(percentiles.at(50), 50U);
  EXPECT_EQ(percentiles.at(95), 95U);
  EXPECT_EQ(percentiles.at(100), 100U);
  EXPECT_EQ(percentiles.at(0.1), 1U);
}

TEST(Percentiles, UseTheLatestValues) {
  Percentiles percentiles;
  for (size_t i = 0; i < 1000; ++i) percentiles.add(5);
  for (size_t i = 0; i < Percentiles::kSamples; ++i) percentiles.add(9);
  EXPECT_EQ(percentiles.at(1), 9U);
  EXPECT_EQ(percentiles.count(), Percentiles::kSamples);
}

TEST(RateMeter, CountsTheLastTwoSeconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  RateMeter rate;
  EXPECT_EQ(rate.per_second(0), 0);
  uint64_t now = 50 * kSecond;
  rate.add(now);
  EXPECT_EQ(rate.per_second(now), 0);
  for (int i = 0; i < 300; ++i) rate.add(now += kSecond / 60);
  EXPECT_NEAR(rate.per_second(now), 60, 0.01);
  for (int i = 0; i < 40; ++i) rate.add(now += kSecond / 10);
  EXPECT_NEAR(rate.per_second(now), 10, 0.01);
  EXPECT_EQ(rate.per_second(now + 3 * kSecond), 0) << "nothing has happened for a while";
}

void expect_inside(std::span<const Primitive> primitives, int32_t width, int32_t height) {
  for (const Primitive& primitive : primitives) {
    EXPECT_GE(std::min(primitive.ends[0], primitive.ends[1]), 0);
    EXPECT_LE(primitive.ends[2], static_cast<float>(width));
    EXPECT_LE(primitive.ends[3], static_cast<float>(height));
  }
}

constexpr const char* kTitle = "glpose movenet";
constexpr HudFigures kFigures{29.97, 14.98, 4.25, 6.1, 123.4, 12};

using HudTest = GlTest;

// The texts of the HUD, one per line, identified by their positions in the atlas.
std::string texts_of(std::span<const Primitive> primitives, const TextAtlas& atlas) {
  const std::vector<std::string> texts = hud_texts(kTitle);
  std::string text;
  float y = -1, x = 0;
  for (const Primitive& primitive : primitives) {
    if (primitive.kind != PrimitiveKind::kText) continue;
    if (primitive.ends[1] != y) {
      text += text.empty() ? "" : "\n";
    } else if (primitive.ends[0] != x) {
      text += "|";
    }
    y = primitive.ends[1];
    x = primitive.ends[2];
    const auto place = std::ranges::find(atlas.places(), primitive.text, &TextPlace::texel);
    text += texts[static_cast<size_t>(place - atlas.places().begin())];
  }
  return text;
}

TEST_F(HudTest, ShowsItsStatistics) {
  const TextAtlas atlas = hud_atlas(gl(), kTitle, 1280, 720);
  EXPECT_EQ(texts_of(hud_primitives(atlas, kFigures, HudPosition::kTopLeft, 1280, 720), atlas),
            "glpose movenet\nframes/s|30.0\ninferences/s|15.0\nGPU|4.2 ms (p95 6.1)\nlatency|123 ms\ndropped|12");
  HudFigures unknown = kFigures;
  unknown.gpu_ms_p50 = 0;
  EXPECT_NE(texts_of(hud_primitives(atlas, unknown, HudPosition::kTopLeft, 1280, 720), atlas).find("GPU|unknown"),
            std::string::npos);
}

// With any title, such as the file name of a model.
TEST_F(HudTest, FitsFramesOfAnySize) {
  for (const std::string& title : {std::string(kTitle), std::string(300, 'W')}) {
    for (const auto& [width, height] :
         {std::pair{3840, 2160}, {1920, 1080}, {1080, 1920}, {640, 480}, {320, 240}, {160, 120}}) {
      const TextAtlas atlas = hud_atlas(gl(), title, width, height);
      for (const HudPosition position :
           {HudPosition::kTopLeft, HudPosition::kTopRight, HudPosition::kBottomLeft, HudPosition::kBottomRight}) {
        expect_inside(hud_primitives(atlas, kFigures, position, width, height), width, height);
      }
    }
  }
}

// As readable in 3840 x 2160 as in 1280 x 720.
TEST_F(HudTest, ScalesWithTheFrame) {
  const int32_t small = hud_atlas(gl(), kTitle, 1280, 720).height(),
                large = hud_atlas(gl(), kTitle, 3840, 2160).height();
  EXPECT_NEAR(large, 3 * small, 3);
  EXPECT_GE(small, 24);
}

// A few kilobytes, four times per second, and no pixels unless the size changes.
TEST_F(HudTest, UpdatesFourTimesPerSecond) {
  const GlApi counted = counting_gl(gl());
  Hud hud(counted, kTitle);
  gl_calls().clear();
  HudFigures figures = kFigures;
  constexpr uint64_t kFrame = 16'666'667;
  for (uint64_t i = 0; i < 120; ++i) {
    figures.frames_per_second = static_cast<double>(i);
    const PrimitiveRange range = hud.update(figures, HudPosition::kTopLeft, 1 + i * kFrame, 640, 480);
    EXPECT_GT(range.count, 20);
    EXPECT_LT(range.count * static_cast<int>(sizeof(Primitive)), 3000);
  }
  EXPECT_EQ(gl_calls()["BufferData"], 8) << "two seconds";
  EXPECT_EQ(gl_calls()["BufferSubData"], 0);
  EXPECT_EQ(gl_calls()["TexSubImage2D"], 1);
  hud.update(figures, HudPosition::kTopLeft, 1 + 119 * kFrame, 320, 240);
  EXPECT_EQ(gl_calls()["BufferData"], 9) << "another size";
  hud.update(figures, HudPosition::kTopRight, 1 + 119 * kFrame, 320, 240);
  EXPECT_EQ(gl_calls()["BufferData"], 10) << "another corner";
  EXPECT_EQ(gl_calls()["TexSubImage2D"], 2) << "another size";
}

}  // namespace
}  // namespace sightglass::test

// Panels over pictures (figures, legends), and what the figures are made of.
#include <gtest/gtest.h>

#include "base/percentiles.h"
#include "draw/font.h"
#include "draw/hud.h"
#include "draw/palette.h"
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

TEST(Percentiles, AreOfTheLatestValues) {
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
  EXPECT_EQ(rate.per_second(now + 3 * kSecond), 0) << "nothing has happened for long";
}

std::string characters(std::span<const Primitive> primitives) {
  std::string text;
  float y = -1;
  for (const Primitive& primitive : primitives) {
    if (primitive.kind != PrimitiveKind::kGlyph) continue;
    if (primitive.ends[1] != y) text += text.empty() ? "" : "\n";
    y = primitive.ends[1];
    text += static_cast<char>(primitive.glyph + font::kFirst);
  }
  return text;
}

void expect_inside(std::span<const Primitive> primitives, int32_t width, int32_t height) {
  for (const Primitive& primitive : primitives) {
    EXPECT_GE(std::min(primitive.ends[0], primitive.ends[1]), 0);
    EXPECT_LE(primitive.ends[2], static_cast<float>(width));
    EXPECT_LE(primitive.ends[3], static_cast<float>(height));
  }
}

const HudFigures kFigures{"glpose movenet", 29.97, 14.98, 4.25, 6.1, 123.4, 12};

TEST(Hud, ShowsItsFigures) {
  EXPECT_EQ(characters(hud_primitives(kFigures, HudPosition::kTopLeft, 1280, 720)),
            "glposemovenet\nframes/s30.0\ninferences/s15.0\nGPU4.2ms(p956.1)\nlatency123ms\ndropped12");
  HudFigures unknown = kFigures;
  unknown.gpu_ms_p50 = 0;
  EXPECT_NE(characters(hud_primitives(unknown, HudPosition::kTopLeft, 1280, 720)).find("GPUnottold"),
            std::string::npos);
}

TEST(Hud, FitsIntoPicturesOfAnySize) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, {1080, 1920}, {640, 480}, {320, 240}, {160, 120}}) {
    for (const HudPosition position :
         {HudPosition::kTopLeft, HudPosition::kTopRight, HudPosition::kBottomLeft, HudPosition::kBottomRight}) {
      expect_inside(hud_primitives(kFigures, position, width, height), width, height);
    }
  }
}

using HudTest = GlTest;

// A few kilobytes, four times a second.
TEST_F(HudTest, RenewsItsFiguresFourTimesASecond) {
  const GlApi counted = counting_gl(gl());
  Hud hud(counted);
  gl_calls().clear();
  HudFigures figures = kFigures;
  constexpr uint64_t kFrame = 16'666'667;
  for (uint64_t i = 0; i < 120; ++i) {
    figures.frames_per_second = static_cast<double>(i);
    const PrimitiveRange range = hud.update(figures, HudPosition::kTopLeft, 1 + i * kFrame, 640, 480);
    EXPECT_GT(range.count, 50);
    EXPECT_LT(range.count * static_cast<int>(sizeof(Primitive)), 6000);
  }
  EXPECT_EQ(gl_calls()["BufferData"], 8) << "two seconds";
  EXPECT_EQ(gl_calls()["BufferSubData"], 0);
  hud.update(figures, HudPosition::kTopLeft, 1 + 119 * kFrame, 320, 240);
  EXPECT_EQ(gl_calls()["BufferData"], 9) << "another size";
  hud.update(figures, HudPosition::kTopRight, 1 + 119 * kFrame, 320, 240);
  EXPECT_EQ(gl_calls()["BufferData"], 10) << "another corner";
}

}  // namespace
}  // namespace sightglass::test

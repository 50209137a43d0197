// Colors of the foreground that follow those of a new background, against a scalar reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "compositor_case.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSceneWidth = 192, kSceneHeight = 128, kSceneMask = 64;
constexpr float kFrameSeconds = 1.0F / 30;
using Color = std::array<double, 3>;

// Someone with skin, hair and a gray shirt in front of a wall with a warm lamp.
Color scene_at(int32_t x, int32_t y) {
  const double u = (x + 0.5) / kSceneWidth, v = (y + 0.5) / kSceneHeight,
               ripple = 12 * std::sin(0.9 * x) * std::cos(0.7 * y);
  if (u >= 0.5) return {150 + 60 * v, 148 + 40 * v, 140 + 20 * v};
  const Color base = v < 0.25 ? Color{60, 45, 38} : v < 0.65 ? Color{205, 158, 132} : Color{110, 112, 118};
  return {base[0] + ripple, base[1] + ripple, base[2] + ripple};
}

// Foreground is the left half.
std::vector<float> person_half() {
  std::vector<float> mask;
  for (int i = 0; i < kSceneMask * kSceneMask; ++i) mask.push_back(i % kSceneMask < kSceneMask / 2 ? 1 : 0);
  return mask;
}

double luma(const Color& color) { return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]; }

Color color_of(const uint8_t* pixel) { return {pixel[0] / 255.0, pixel[1] / 255.0, pixel[2] / 255.0}; }

struct Tone {
  double mean = 0, deviation = 0;
};
struct Shade {
  double warmth = 0, tint = 0;
};

// Of the columns from `first` on, at every pixel.
Tone tone_of(const Rgba& picture, int32_t first, int32_t last) {
  double sum = 0, squares = 0, count = 0;
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = first; x < last; ++x, ++count) {
      const double value = luma(color_of(picture.at(x, y)));
      sum += value;
      squares += value * value;
    }
  }
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0))};
}

Shade shade_of(const Rgba& picture, int32_t first, int32_t last) {
  Shade sum;
  double weights = 0;
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = first; x < last; ++x) {
      const Color color = color_of(picture.at(x, y));
      const double red = std::log(color[0] + 0.02), green = std::log(color[1] + 0.02), blue = std::log(color[2] + 0.02);
      const double warmth = 0.5 * (red - blue), tint = green - 0.5 * (red + blue), bright = luma(color);
      const double weight =
          std::exp(-0.5 * (warmth * warmth + tint * tint) / (0.25 * 0.25)) * 4 * bright * (1 - bright);
      sum.warmth += weight * warmth;
      sum.tint += weight * tint;
      weights += weight;
    }
  }
  weights += 0.01 * (last - first) * picture.height;
  return {sum.warmth / weights, sum.tint / weights};
}

// What the shaders do, in double precision, with statistics of every pixel.
class GradeReference {
 public:
  GradeReference(const Rgba& frame, const Rgba& behind, double strength) {
    const Tone front = tone_of(frame, 0, kSceneWidth / 2), back = tone_of(behind, 0, kSceneWidth);
    const Shade here = shade_of(frame, 0, kSceneWidth), there = shade_of(behind, 0, kSceneWidth);
    const auto limited = [&](double value, double low, double high) {
      return strength * std::clamp(value, -low, high);
    };
    const double warmth = limited(0.5 * (there.warmth - here.warmth), kMostWarmth, kMostWarmth);
    const double tint = limited(0.5 * (there.tint - here.tint), kMostTint, kMostTint);
    power_ = std::exp(limited(0.5 * std::log(std::log(back.mean) / std::log(front.mean)), kMostBrighter, kMostDarker));
    contrast_ =
        limited(0.5 * kContrastShare * std::log(back.deviation / front.deviation), kMostContrast, kMostContrast);
    gains_ = {std::exp(warmth - tint / 3), std::exp(tint / 1.5), std::exp(-warmth - tint / 3)};
    const double gray = luma(gains_);
    for (double& gain : gains_) gain /= gray;
    pivot_ = std::pow(front.mean, power_);
  }
  Color operator()(const Color& color) const {
    Color result{};
    for (size_t c = 0; c < 3; ++c) {
      const double value = std::pow(std::clamp(color[c] * gains_[c], 1e-4, 1.0), power_);
      result[c] = value + 4 * contrast_ * (value - pivot_) * value * (1 - value);
    }
    return result;
  }

 private:
  Color gains_{};
  double power_ = 1, contrast_ = 0, pivot_ = 0;
};

struct ColorDifference {
  double mean = 0, largest = 0;  // in levels of 255
};

// Of the foreground, off its edge.
ColorDifference difference(const Rgba& frame, const Rgba& out, const GradeReference& reference) {
  ColorDifference result;
  double count = 0;
  for (int32_t y = 0; y < kSceneHeight; ++y) {
    for (int32_t x = 0; x < kSceneWidth / 2 - 8; ++x) {
      const Color wanted = reference(color_of(frame.at(x, y)));
      for (size_t c = 0; c < 3; ++c, ++count) {
        const double off = std::abs(out.at(x, y)[c] - 255 * wanted[c]);
        result.mean += off;
        result.largest = std::max(result.largest, off);
      }
    }
  }
  result.mean /= count;
  return result;
}

Rgba dimmed(const Rgba& picture, double factor) {
  return painted(picture.width, picture.height, [&](int32_t x, int32_t y) {
    const uint8_t* pixel = picture.at(x, y);
    return std::array{factor * pixel[0], factor * pixel[1], factor * pixel[2]};
  });
}

Rgba background(double red, double green, double blue) {
  return painted(kSceneWidth, kSceneHeight, [&](int32_t x, int32_t y) {
    const double shade = 0.55 + 0.45 * std::sin(0.05 * x + 0.08 * y);
    return Color{red * shade, green * shade, blue * shade};
  });
}

class GradeTest : public CompositorTest {
 protected:
  // Draws `frames` equal frames in front of the background.
  Rgba draw_matched(const Rgba& frame, const Rgba& behind, float strength, int frames = 1) {
    SegmentLook look = look_of(Background::kImage);
    look.match_colors = strength;
    look.despill = false;
    if (width_ == 0) draw(frame, kSceneMask, kSceneMask, person_half(), look_of(Background::kColor));  // allocates
    const Status status = compositor_->set_picture(std::as_bytes(std::span(behind.pixels)));
    EXPECT_TRUE(status.ok()) << status.message();
    Rgba out;
    for (int i = 0; i < frames; ++i) {
      compositor_->pass_time(kFrameSeconds);
      out = draw(frame, kSceneMask, kSceneMask, person_half(), look);
    }
    return out;
  }

  const Rgba frame_ = painted(kSceneWidth, kSceneHeight, scene_at);
};

struct NewBackground {
  const char* name;
  Rgba behind;
};

std::vector<NewBackground> backgrounds() {
  return {{"like the frame", background(190, 185, 175)},
          {"warm", background(240, 180, 110)},
          {"cool", background(120, 160, 220)},
          {"dark", background(50, 55, 70)},
          {"bright", painted(kSceneWidth, kSceneHeight,
                             [](int32_t x, int32_t y) {
                               return Color{230.0 + x % 9, 235, 225.0 + y % 7};
                             })},
          {"green", background(60, 200, 70)},
          {"black", solid(kSceneWidth, kSceneHeight, {0, 0, 0, 255})},
          {"white", solid(kSceneWidth, kSceneHeight, {255, 255, 255, 255})}};
}

TEST_F(GradeTest, FollowsTheReference) {
  for (const auto& [name, behind] : backgrounds()) {
    for (const float strength : {0.5F, 1.0F}) {
      compositor_->forget();
      const Rgba out = draw_matched(frame_, behind, strength);
      const ColorDifference off = difference(frame_, out, GradeReference(frame_, behind, strength));
      std::printf("%-14s, strength %.1f: %.2f levels off the reference, at most %.2f\n", name,
                  static_cast<double>(strength), off.mean, off.largest);
      EXPECT_LT(off.mean, 0.8) << name;
      EXPECT_LT(off.largest, 2.5) << name;
    }
  }
}

TEST_F(GradeTest, MovesTowardsTheBackgroundWithinLimits) {
  const Tone before = tone_of(frame_, 0, kSceneWidth / 2);
  const Shade shade_before = shade_of(frame_, 0, kSceneWidth / 2);
  for (const auto& [name, behind] : backgrounds()) {
    compositor_->forget();
    const Rgba out = draw_matched(frame_, behind, 1);
    const Tone after = tone_of(out, 0, kSceneWidth / 2 - 8), goal = tone_of(behind, 0, kSceneWidth);
    const Shade shade_after = shade_of(out, 0, kSceneWidth / 2 - 8);
    const uint8_t* skin = out.at(20, 60);
    std::printf(
        "%-14s: brightness %.3f -> %.3f of %.3f, contrast %.3f -> %.3f of %.3f, warmth %+.3f -> %+.3f, skin %d %d %d\n",
        name, before.mean, after.mean, goal.mean, before.deviation, after.deviation, goal.deviation,
        shade_before.warmth, shade_after.warmth, skin[0], skin[1], skin[2]);
    EXPECT_GE((after.mean - before.mean) * (goal.mean - before.mean), -1e-3) << name;
    EXPECT_LT(std::abs(std::log(std::log(after.mean) / std::log(before.mean))), 0.5) << name;
    EXPECT_GT(skin[0], skin[1]) << "skin must stay skin";
    EXPECT_GT(skin[1], skin[2]) << "skin must stay skin";
  }
}

TEST_F(GradeTest, BlackAndWhiteStay) {
  Rgba frame = frame_;
  for (int32_t x = 0; x < 24; ++x) {
    for (int32_t y = 0; y < kSceneHeight; ++y) std::fill_n(frame.at(x, y), 3, static_cast<uint8_t>(x < 12 ? 0 : 255));
  }
  for (const auto& [name, behind] : backgrounds()) {
    compositor_->forget();
    const Rgba out = draw_matched(frame, behind, 1);
    EXPECT_LE(*std::max_element(out.at(4, 9), out.at(4, 9) + 3), 1) << name;
    EXPECT_GE(*std::min_element(out.at(18, 9), out.at(18, 9) + 3), 220) << name;
    EXPECT_EQ(*std::max_element(out.at(18, 9), out.at(18, 9) + 3), 255) << name;
  }
}

TEST_F(GradeTest, DoesNothingUnlessABackgroundReplacesTheOldOne) {
  const Rgba behind = background(240, 180, 110);
  const Rgba plain = draw_matched(frame_, behind, 0);
  EXPECT_GT(largest_difference(draw_matched(frame_, behind, 1), plain), 8);
  EXPECT_EQ(largest_difference(draw_matched(frame_, behind, 0), plain), 0);
  for (const Background other : {Background::kBlur, Background::kColor, Background::kTransparent, Background::kMask}) {
    SegmentLook look = look_of(other);
    const Rgba without = draw(frame_, kSceneMask, kSceneMask, person_half(), look);
    look.match_colors = 1;
    EXPECT_EQ(largest_difference(draw(frame_, kSceneMask, kSceneMask, person_half(), look), without), 0)
        << "background " << static_cast<int>(other);
  }
}

// A light that is switched: the grade follows within about a second, and stays where it has arrived.
TEST_F(GradeTest, FollowsLightSlowlyAndThenRests) {
  const Rgba behind = background(50, 55, 70), dark = dimmed(frame_, 0.45);
  compositor_->forget();
  const Rgba first = draw_matched(frame_, behind, 1);
  EXPECT_EQ(largest_difference(draw_matched(frame_, behind, 1, 30), first), 0) << "a constant scene flickers";
  const GradeReference goal(dark, behind, 1);
  const ColorDifference at_once = difference(dark, draw_matched(dark, behind, 1), goal);
  const ColorDifference half_way = difference(dark, draw_matched(dark, behind, 1, 14), goal);
  const ColorDifference arrived = difference(dark, draw_matched(dark, behind, 1, 15), goal);
  std::printf("after a switch of the light: %.2f levels off at once, %.2f after half a second, %.2f after one\n",
              at_once.mean, half_way.mean, arrived.mean);
  EXPECT_GT(at_once.mean, 2 * arrived.mean) << "it must not jump";
  EXPECT_LT(arrived.mean, 0.2 * at_once.mean + 0.5);
  compositor_->forget();
  const ColorDifference cut = difference(dark, draw_matched(dark, behind, 1), goal);
  EXPECT_LT(cut.mean, 0.8) << "another scene begins anew";
}

// Without anyone in the frame, the grade rests.
TEST_F(GradeTest, KeepsTheGradeWhileNobodyIsThere) {
  const Rgba behind = background(50, 55, 70);
  compositor_->forget();
  const Rgba first = draw_matched(frame_, behind, 1);
  SegmentLook look = look_of(Background::kImage);
  look.match_colors = 1;
  for (int i = 0; i < 30; ++i) {
    compositor_->pass_time(kFrameSeconds);
    draw_uniform(frame_, 0, look);
  }
  EXPECT_LE(largest_difference(draw_matched(frame_, behind, 1), first), 1);
}

}  // namespace
}  // namespace sightglass::test

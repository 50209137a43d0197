// Colors of the foreground that follow those of a new background, and dark frames that become bright, against scalar
// references.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

#include "compositor_case.h"
#include "harness/value_of.h"
#include "segment/mask_filters.h"
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

// The luma below which is that share of the columns up to `last`.
double luma_at(const Rgba& picture, int32_t last, double share) {
  std::vector<double> lumas;
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = 0; x < last; ++x) lumas.push_back(luma(color_of(picture.at(x, y))));
  }
  const auto nth = lumas.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(lumas.size()));
  std::nth_element(lumas.begin(), nth, lumas.end());
  return *nth;
}

// What low light does to colors, in double precision, with statistics of every pixel.
class LightReference {
 public:
  LightReference(const Rgba& frame, double strength) {
    const double level = std::clamp(
        std::max(luma_at(frame, kSceneWidth / 2, 0.85), kFrameShare * luma_at(frame, kSceneWidth, 0.85)), 0.02, 0.5);
    gain_ = std::pow(std::clamp((1 - level) / level, 1.0, static_cast<double>(kMostGain)), strength);
  }
  Color operator()(const Color& color) const {
    const double brightest = *std::max_element(color.begin(), color.end());
    Color result = color;
    for (double& channel : result) channel *= gain_ / (1 + (gain_ - 1) * brightest);
    return result;
  }
  double gain() const { return gain_; }

 private:
  double gain_ = 1;
};

// Of the foreground, off its edge, in levels.
template <typename Wanted>
double root_mean_square(const Rgba& out, Wanted wanted) {
  double sum = 0, count = 0;
  for (int32_t y = 4; y < kSceneHeight - 4; ++y) {
    for (int32_t x = 4; x < kSceneWidth / 2 - 8; ++x) {
      const Color color = wanted(x, y);
      for (size_t c = 0; c < 3; ++c, ++count) sum += std::pow(out.at(x, y)[c] - 255 * color[c], 2);
    }
  }
  return std::sqrt(sum / count);
}

class LowLightTest : public GradeTest {
 protected:
  void SetUp() override {
    GradeTest::SetUp();
    if (HasFatalFailure()) return;
    frames_.emplace(value_of(FramePair::create(ShareGroup::create(gl(), nullptr, element_shaders()), FrameKind::kRgba,
                                               kSceneMask, kSceneMask)));
  }
  void TearDown() override {
    frames_.reset();
    GradeTest::TearDown();
  }

  Rgba draw_lit(const Rgba& frame, float strength, Background background = Background::kColor) {
    SegmentLook look = look_of(background);
    look.low_light = strength;
    look.despill = false;
    const GlTexture texture = upload(gl(), frame);
    frames_->see(TextureRef{texture.id(), GL_TEXTURE_2D, frame.width, frame.height}, {});
    frames_->follow();
    if (width_ == 0) draw(frame, kSceneMask, kSceneMask, person_half(), look_of(background));  // allocates
    compositor_->set_noise(frames_->noise(), false);
    compositor_->pass_time(kFrameSeconds);
    return draw(frame, kSceneMask, kSceneMask, person_half(), look);
  }
  void cut() {
    frames_->reset();
    compositor_->forget();
  }
  Rgba noisy(const Rgba& picture, double sigma) {
    std::normal_distribution<double> noise(0, sigma);
    return painted(picture.width, picture.height, [&](int32_t x, int32_t y) {
      Color color{};
      for (size_t c = 0; c < 3; ++c) {
        color[c] = std::clamp(std::round(picture.at(x, y)[c] + noise(random_)), 0.0, 255.0);
      }
      return color;
    });
  }

  std::optional<FramePair> frames_;
  std::minstd_rand random_{7};
};

TEST_F(LowLightTest, FollowsTheReference) {
  for (const double factor : {0.15, 0.3, 0.5}) {
    const Rgba dark = dimmed(frame_, factor);
    for (const float strength : {0.5F, 1.0F}) {
      cut();
      const Rgba out = draw_lit(dark, strength);
      const LightReference reference(dark, strength);
      double most = 0;
      const double off = root_mean_square(out, [&](int32_t x, int32_t y) {
        const Color wanted = reference(color_of(dark.at(x, y)));
        for (size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(out.at(x, y)[c] - 255 * wanted[c]));
        return wanted;
      });
      std::printf("light of %.2f, strength %.1f: gain %.2f, %.2f levels off the reference, at most %.2f\n", factor,
                  static_cast<double>(strength), reference.gain(), off, most);
      EXPECT_LT(off, 1.5);
      EXPECT_GT(reference.gain(), 1.1);
    }
  }
}

TEST_F(LowLightTest, LeavesBrightFramesAndWhatItDoesNotConcern) {
  for (const Rgba& bright : {frame_, solid(kSceneWidth, kSceneHeight, {150, 150, 150, 255})}) {
    for (const Background background : {Background::kColor, Background::kBlur, Background::kOverlay}) {
      cut();
      EXPECT_EQ(largest_difference(draw_lit(bright, 1, background), draw_lit(bright, 0, background)), 0)
          << "background " << static_cast<int>(background);
    }
  }
  const Rgba dark = dimmed(frame_, 0.2);
  EXPECT_EQ(largest_difference(draw_lit(dark, 1, Background::kMask), draw_lit(dark, 0, Background::kMask)), 0);
  const Rgba off = draw_lit(dark, 0);
  EXPECT_GT(largest_difference(draw_lit(dark, 1), off), 40);
  EXPECT_EQ(largest_difference(draw_lit(dark, 0), off), 0);
}

// The blurred frame becomes as bright as the foreground, a color stays.
TEST_F(LowLightTest, LiftsTheFrameThatIsShown) {
  const Rgba dark = solid(kSceneWidth, kSceneHeight, {40, 36, 30, 255});
  const Rgba blurred = draw_lit(dark, 1, Background::kBlur), replaced = draw_lit(dark, 1);
  EXPECT_GT(blurred.at(20, 60)[0], 90);
  EXPECT_LE(std::abs(blurred.at(20, 60)[0] - blurred.at(kSceneWidth - 20, 60)[0]), 1);
  EXPECT_EQ(replaced.at(kSceneWidth - 20, 60)[0], 0) << "background-color is not a frame";
}

TEST_F(LowLightTest, RemovesNoise) {
  const Rgba dark = dimmed(frame_, 0.25);
  cut();
  const Rgba clean = draw_lit(dark, 1);
  for (const double sigma : {7.0, 14.0}) {
    cut();
    const auto from = [](const Rgba& picture) {
      return [&picture](int32_t x, int32_t y) { return color_of(picture.at(x, y)); };
    };
    Rgba raw, first, out;
    for (int i = 0; i < 16; ++i) {
      raw = noisy(dark, sigma);
      out = draw_lit(raw, 1);
      if (i == 0) first = out;
    }
    const LightReference reference(dark, 1);
    const double amplified = root_mean_square(dimmed(raw, 1), [&](int32_t x, int32_t y) {
      const Color now = color_of(raw.at(x, y)), lit = reference(now), wanted = reference(color_of(dark.at(x, y)));
      return Color{now[0] + lit[0] - wanted[0], now[1] + lit[1] - wanted[1], now[2] + lit[2] - wanted[2]};
    });
    const double before = root_mean_square(raw, from(frame_)), after = root_mean_square(out, from(frame_));
    const double noise_at_first = root_mean_square(first, from(clean)), noise = root_mean_square(out, from(clean));
    std::printf(
        "noise of %2.0f: error against the bright picture %.1f -> %.1f; noise, amplified %.1f -> %.1f in the first "
        "frame, "
        "%.1f in the last\n",
        sigma, before, after, amplified, noise_at_first, noise);
    EXPECT_LT(after, 0.5 * before);
    EXPECT_LT(noise_at_first, 0.6 * amplified);
    EXPECT_LT(noise, 0.4 * amplified);
  }
}

// Stripes of one pixel stay as sharp as without noise.
TEST_F(LowLightTest, KeepsDetail) {
  const Rgba dark = painted(kSceneWidth, kSceneHeight, [](int32_t x, int32_t) {
    const double level = x % 2 == 0 ? 30 : 60;
    return Color{level, level, level};
  });
  const auto contrast = [](const Rgba& picture) {
    double sum = 0, count = 0;
    for (int32_t y = 10; y < kSceneHeight - 10; ++y) {
      for (int32_t x = 10; x < 70; x += 2, ++count) sum += picture.at(x + 1, y)[1] - picture.at(x, y)[1];
    }
    return sum / count;
  };
  const double wanted = contrast(draw_lit(dark, 1));
  cut();
  Rgba out;
  for (int i = 0; i < 12; ++i) out = draw_lit(noisy(dark, 7), 1);
  std::printf("stripes of one pixel: contrast %.1f of %.1f\n", contrast(out), wanted);
  EXPECT_GT(contrast(out), 0.9 * wanted);
}

// A disc that moves by three pixels per frame: behind it, the wall is as it would be without the disc.
TEST_F(LowLightTest, LeavesNoTrail) {
  const auto wall_with = [&](double center, double level) {
    return painted(kSceneWidth, kSceneHeight, [=](int32_t x, int32_t y) {
      const double inside = std::clamp(14.5 - std::hypot(x - center, y - 60.0), 0.0, 1.0);
      const double gray = 35 + (level - 35) * inside;
      return Color{gray, gray, gray};
    });
  };
  for (const double level : {15.0, 55.0, 120.0}) {
    cut();
    Rgba out;
    constexpr int kFrames = 14;
    for (int i = 0; i < kFrames; ++i) out = draw_lit(noisy(wall_with(20 + 3 * i, level), 7), 1);
    // Where the disc has been, against the rows above it.
    double trail = 0, wall = 0, count = 0;
    for (int32_t x = 16; x < 20 + 3 * (kFrames - 1) - 18; ++x) {
      for (int32_t y = 52; y < 68; ++y, ++count) {
        trail += out.at(x, y)[1];
        wall += out.at(x, y - 40)[1];
      }
    }
    std::printf("disc of %3.0f in front of a wall of 35: the wall is %.1f behind it, and %.1f elsewhere\n", level,
                trail / count, wall / count);
    EXPECT_NEAR(trail / count, wall / count, 2.0);
  }
}

TEST_F(LowLightTest, FollowsLightSlowlyAndThenRests) {
  const Rgba dark = dimmed(frame_, 0.5), darker = dimmed(frame_, 0.35);
  cut();
  Rgba before_rest, out;
  for (int i = 0; i < 40; ++i) {
    out = draw_lit(dark, 1);
    if (i == 20) before_rest = out;
  }
  EXPECT_LE(largest_difference(out, before_rest), 1) << "a constant scene flickers";
  std::vector<double> means;
  for (int i = 0; i < 30; ++i) means.push_back(255 * tone_of(draw_lit(noisy(dark, 7), 1), 0, kSceneWidth / 2).mean);
  const auto [least, most] = std::minmax_element(means.begin() + 10, means.end());
  // Noise does not repeat, and it changes the histogram of each frame.
  std::printf("with noise, the mean changes by %.2f levels in 20 frames\n", *most - *least);
  EXPECT_LT(*most - *least, 1.0);
  const double goal = LightReference(darker, 1).gain(), before = LightReference(dark, 1).gain();
  cut();
  draw_lit(dark, 1);
  const auto gain_of = [&](const Rgba& shown) {  // from the brightest channel
    const double value = color_of(shown.at(20, 60))[0], plain = color_of(darker.at(20, 60))[0];
    return value * (1 - plain) / (plain * (1 - value));
  };
  std::vector<double> gains;
  for (int i = 0; i < 45; ++i) gains.push_back(gain_of(draw_lit(darker, 1)));
  std::printf("a light that is dimmed: gain %.2f, %.2f at once, %.2f after one second, of %.2f\n", before,
              gains.front(), gains[30], goal);
  EXPECT_LT(gains.front(), before + 0.3 * (goal - before) + 0.05);
  EXPECT_NEAR(gains[30], goal, 0.15 * (goal - before) + 0.12);
}

}  // namespace
}  // namespace sightglass::test

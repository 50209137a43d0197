// The edges of masks: refined ones, and colors of the background that shine through.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "compositor_case.h"
#include "harness/value_of.h"

namespace sightglass::test {
namespace {

constexpr int32_t kEdgeWidth = 1280, kEdgeHeight = 720, kEdgeMask = 256;

class RefinedEdgeTest : public CompositorTest {
 protected:
  Rgba draw_refined(Refine refine, const Rgba& frame, const std::vector<float>& mask) {
    auto compositor =
        value_of(Compositor::create(ShareGroup::create(gl(), nullptr, element_shaders()), FrameKind::kRgba, refine));
    compositor_.emplace(std::move(compositor));
    width_ = height_ = 0;
    return draw(frame, kEdgeMask, kEdgeMask, mask, look_of(Background::kMask));
  }
};

// A mask whose probability falls from 1 to 0 over `width` pixels of the frame, by the distance from an edge.
template <typename Distance>
std::vector<float> soft_mask(double width, Distance distance) {
  std::vector<float> mask;
  for (int y = 0; y < kEdgeMask; ++y) {
    for (int x = 0; x < kEdgeMask; ++x) {
      const double d = distance((x + 0.5) * kEdgeWidth / kEdgeMask, (y + 0.5) * kEdgeHeight / kEdgeMask);
      mask.push_back(static_cast<float>(std::clamp(0.5 - d / width, 0.0, 1.0)));
    }
  }
  return mask;
}

constexpr double kSlope = 0.35;  // columns to a row
double beyond_line(double x, double y) { return x - kEdgeWidth / 2.0 - kSlope * (y - kEdgeHeight / 2.0); }

// Two colors that differ little, on either side of a line, with a camera's noise.
Rgba noisy_line() {
  std::minstd_rand random(1);
  std::normal_distribution<double> noise(0, 5);
  return painted(kEdgeWidth, kEdgeHeight, [&](int32_t x, int32_t y) {
    const double share = std::clamp(0.5 - beyond_line(x + 0.5, y + 0.5), 0.0, 1.0);
    std::array<double, 3> color;
    for (int c = 0; c < 3; ++c) {
      color[static_cast<size_t>(c)] = std::clamp(150 - 10 * c - 30 * share + noise(random), 0.0, 255.0);
    }
    return color;
  });
}

// How far the edge swings about the line, in pixels, at a frequency in cycles per row.
double swing(const Rgba& opacity, double frequency) {
  constexpr int32_t kBorder = 40;
  std::complex<double> sum = 0;
  for (int32_t y = kBorder; y < kEdgeHeight - kBorder; ++y) {
    double edge = 0;
    for (int32_t x = 0; x < kEdgeWidth; ++x) edge += opacity.at(x, y)[0] / 255.0;
    const double off = edge - (kEdgeWidth / 2.0 + kSlope * (y + 0.5 - kEdgeHeight / 2.0));
    sum += std::polar(off, -2 * 3.14159265 * frequency * y);
  }
  return 2 * std::abs(sum) / (kEdgeHeight - 2 * kBorder);
}

TEST_F(RefinedEdgeTest, HasNoTraceOfTheMasksGrid) {
  const Rgba frame = noisy_line();
  const std::vector<float> mask = soft_mask(20, beyond_line);
  constexpr double kRows = 1.0 * kEdgeMask / kEdgeHeight,
                   kColumns = kSlope * kEdgeMask / kEdgeWidth;  // of the mask, to a row
  for (const Refine refine : {Refine::kNone, Refine::kBilateral, Refine::kGuided}) {
    const Rgba opacity = draw_refined(refine, frame, mask);
    double energy = 0;
    for (const double frequency : {kRows, kRows / 2, kColumns, kColumns / 2}) {
      energy += std::pow(swing(opacity, frequency), 2);
    }
    int mixed = 0;  // pixels that differ from their neighbors by most of the range
    for (int32_t y = 0; y < kEdgeHeight; ++y) {
      for (int32_t x = 1; x < kEdgeWidth - 1; ++x) {
        const int here = opacity.at(x, y)[0];
        mixed += std::abs(2 * here - opacity.at(x - 1, y)[0] - opacity.at(x + 1, y)[0]) > 255 ? 1 : 0;
      }
    }
    std::printf("refine %d: the edge swings by %.3f px with the mask's grid; %d specks\n", static_cast<int>(refine),
                std::sqrt(energy), mixed);
    EXPECT_LT(std::sqrt(energy), 0.2) << static_cast<int>(refine);
  }
}

// How far the bends of opacity, its second differences along one axis, gather in every `period`th pixel: 0 if they are
// anywhere, 1 if they are only there. Blocks bend at their borders only.
double blockiness(const Rgba& opacity, double period, bool down) {
  const int32_t lines = down ? kEdgeWidth : kEdgeHeight, length = down ? kEdgeHeight : kEdgeWidth;
  std::complex<double> sum = 0;
  double all = 0;
  for (int32_t line = 0; line < lines; ++line) {
    const auto at = [&](int32_t i) { return down ? opacity.at(line, i)[0] : opacity.at(i, line)[0]; };
    for (int32_t i = 1; i < length - 1; ++i) {
      const double bend = std::abs(at(i - 1) - 2 * at(i) + at(i + 1));
      sum += std::polar(bend, -2 * 3.14159265 * i / period);
      all += bend;
    }
  }
  return std::abs(sum) / all;
}

// Wide transitions between colors that change everywhere, in different directions. The mask has one grid, the functions
// of color have another of half its density, and columns have other periods than rows.
TEST_F(RefinedEdgeTest, ShowsNoBlocks) {
  const auto wave = [](double x, double y) {
    return std::sin(0.03 * x + 2 * std::sin(0.023 * y)) * std::cos(0.027 * y);
  };
  const Rgba frame = painted(kEdgeWidth, kEdgeHeight, [&](int32_t x, int32_t y) {
    return std::array{128.5 + 120 * wave(x + 4, y), 128.5 + 120 * wave(y + 300, x), 128.5 + 120 * wave(x - 5, y + 4)};
  });
  const std::vector<float> mask = soft_mask(2.2, [&](double x, double y) { return -wave(x, y); });
  for (const Refine refine : {Refine::kNone, Refine::kBilateral, Refine::kGuided}) {
    const Rgba opacity = draw_refined(refine, frame, mask);
    double most = 0;
    for (const double texels : {1.0, 2.0}) {
      most = std::max({most, blockiness(opacity, texels * kEdgeWidth / kEdgeMask, false),
                       blockiness(opacity, texels * kEdgeHeight / kEdgeMask, true)});
    }
    std::printf("refine %d: %.3f of the bends follow a grid\n", static_cast<int>(refine), most);
    // With the value of the nearest texel instead of smooth interpolation, these are 0.81, 0.69, and 0.021.
    const double limit = refine == Refine::kGuided ? 0.012 : refine == Refine::kNone ? 0.03 : 0.08;
    EXPECT_LT(most, limit) << static_cast<int>(refine);
  }
}

// A disc of one color with a ring of the background's color inside, close to its edge.
TEST_F(RefinedEdgeTest, LeavesWhatTheModelIsSureOf) {
  const auto beyond_disc = [](double x, double y) {
    return std::hypot(x - kEdgeWidth / 2.0, y - kEdgeHeight / 2.0) - 250;
  };
  const Rgba frame = painted(kEdgeWidth, kEdgeHeight, [&](int32_t x, int32_t y) {
    const double d = beyond_disc(x + 0.5, y + 0.5);
    const int gray = d < 0 && (d < -35 || d > -22) ? 40 : 200;
    return std::array{gray, gray, gray};
  });
  const std::vector<float> mask = soft_mask(12, beyond_disc);
  for (const Refine refine : {Refine::kBilateral, Refine::kGuided}) {
    const Rgba opacity = draw_refined(refine, frame, mask);
    int least = 255, most = 0;
    for (int32_t y = 0; y < kEdgeHeight; ++y) {
      for (int32_t x = 0; x < kEdgeWidth; ++x) {
        const double d = beyond_disc(x + 0.5, y + 0.5);
        if (d < -22) least = std::min<int>(least, opacity.at(x, y)[0]);
        if (d > 30) most = std::max<int>(most, opacity.at(x, y)[0]);
      }
    }
    std::printf("refine %d: opacity at least %d of 255 well inside, at most %d well outside\n",
                static_cast<int>(refine), least, most);
    EXPECT_EQ(least, 255);
    EXPECT_EQ(most, 0);
  }
}

using DespillTest = CompositorTest;

constexpr int32_t kWidth = 640, kHeight = 360, kMask = 64;

using Color = std::array<double, 3>;
// One channel of a picture, in [0,1].
using Plane = std::vector<double>;

size_t index(int32_t x, int32_t y) { return static_cast<size_t>(y) * kWidth + static_cast<size_t>(x); }

Color foreground_at(int32_t x, int32_t y) {
  return {0.35 + 0.1 * std::sin(x / 23.0), 0.22 + 0.1 * std::cos(y / 17.0), 0.15 + 0.04 * ((x / 9 + y / 9) % 2)};
}
Color background_at(int32_t x, int32_t y) { return {0.9, 0.88 - 0.1 * y / kHeight, 0.8 + 0.1 * x / kWidth}; }
constexpr Color kNew{0.05, 0.1, 0.4};

// A disc with a soft edge, some 30 pixels wide.
std::vector<float> disc() {
  std::vector<float> mask;
  for (int i = 0; i < kMask * kMask; ++i) {
    mask.push_back(std::clamp(0.5F + (18 - std::hypot(i % kMask - 31.5F, (i / kMask - 31.5F) * 0.6F)) / 4, 0.0F, 1.0F));
  }
  return mask;
}

// The color that a pixel has between two others.
Color mix(const Color& a, const Color& b, double share_of_b) {
  Color result{};
  for (size_t c = 0; c < 3; ++c) result[c] = a[c] + (b[c] - a[c]) * share_of_b;
  return result;
}

// A picture of foreground over background by opacities of 8 bits.
Rgba mixed_frame(const Rgba& opacity) {
  return painted(kWidth, kHeight, [&](int32_t x, int32_t y) {
    Color color = mix(background_at(x, y), foreground_at(x, y), opacity.at(x, y)[0] / 255.0);
    for (auto& component : color) component = std::round(255 * component);
    return color;
  });
}

// Mean difference from the true foreground over the new background, of pixels where both are mixed, in steps of 255.
template <typename ColorAt>
double edge_error(const Rgba& opacity, ColorAt color_at) {
  double sum = 0;
  int pixels = 0;
  for (int32_t y = 0; y < kHeight; ++y) {
    for (int32_t x = 0; x < kWidth; ++x) {
      const double alpha = opacity.at(x, y)[0] / 255.0;
      if (alpha < 0.02 || alpha > 0.98) continue;
      const Color truth = mix(kNew, foreground_at(x, y), alpha), found = color_at(x, y);
      for (size_t c = 0; c < 3; ++c) sum += 255 * std::abs(found[c] - truth[c]) / 3;
      ++pixels;
    }
  }
  EXPECT_GT(pixels, 5000);
  return sum / pixels;
}

// A separable Gaussian, cut off at three standard deviations; beyond the border the outermost values.
Plane blurred(const Plane& plane, double sigma) {
  const auto reach = static_cast<int32_t>(std::ceil(3 * sigma));
  std::vector<double> weights;
  double total = 0;
  for (int32_t i = -reach; i <= reach; ++i) total += weights.emplace_back(std::exp(-0.5 * i * i / (sigma * sigma)));
  const auto pass = [&](const Plane& in, bool along_x) {
    Plane out(in.size());
    for (int32_t y = 0; y < kHeight; ++y) {
      for (int32_t x = 0; x < kWidth; ++x) {
        double sum = 0;
        for (int32_t i = -reach; i <= reach; ++i) {
          const int32_t at_x = along_x ? std::clamp(x + i, 0, kWidth - 1) : x;
          const int32_t at_y = along_x ? y : std::clamp(y + i, 0, kHeight - 1);
          sum += weights[static_cast<size_t>(i + reach)] * in[index(at_x, at_y)];
        }
        out[index(x, y)] = sum / total;
      }
    }
    return out;
  };
  return pass(pass(plane, true), false);
}

// Blur fusion with two blurs as Forte has it, at the frame's own size.
Plane estimate(const Plane& frame, const Plane& alpha, double wide, double narrow) {
  Plane front = frame, behind = frame;
  for (const double sigma : {wide, narrow}) {
    Plane front_sum(frame.size()), behind_sum(frame.size()), rest(frame.size());
    for (size_t i = 0; i < frame.size(); ++i) {
      front_sum[i] = front[i] * alpha[i];
      behind_sum[i] = behind[i] * (1 - alpha[i]);
      rest[i] = 1 - alpha[i];
    }
    const Plane front_weight = blurred(alpha, sigma), behind_weight = blurred(rest, sigma);
    front_sum = blurred(front_sum, sigma);
    behind_sum = blurred(behind_sum, sigma);
    for (size_t i = 0; i < frame.size(); ++i) {
      const double f = front_sum[i] / (front_weight[i] + 1e-5), b = behind_sum[i] / (behind_weight[i] + 1e-5);
      front[i] = std::clamp(f + alpha[i] * (frame[i] - alpha[i] * f - (1 - alpha[i]) * b), 0.0, 1.0);
      behind[i] = b;
    }
  }
  return front;
}

double error_of(const Rgba& opacity, const Rgba& picture) {
  return edge_error(opacity, [&](int32_t x, int32_t y) {
    const uint8_t* p = picture.at(x, y);
    return Color{p[0] / 255.0, p[1] / 255.0, p[2] / 255.0};
  });
}

// Over the new background, as far as it is not there yet.
Rgba over_new(const Rgba& transparent, bool premultiplied) {
  Rgba result = transparent;
  for (size_t i = 0; i < result.pixels.size(); ++i) {
    if (i % 4 == 3) continue;
    const double alpha = transparent.pixels[i - i % 4 + 3] / 255.0;
    const double front = transparent.pixels[i] * (premultiplied ? 1 : alpha);
    result.pixels[i] = static_cast<uint8_t>(std::lround(std::min(255.0, front + 255 * kNew[i % 4] * (1 - alpha))));
  }
  return result;
}

SegmentLook new_color() {
  SegmentLook look = look_of(Background::kColor);
  look.color = {static_cast<float>(kNew[0]), static_cast<float>(kNew[1]), static_cast<float>(kNew[2]), 1};
  return look;
}

TEST_F(DespillTest, EdgesHaveTheForegroundsColor) {
  const Rgba opacity = draw(solid(kWidth, kHeight, {0, 0, 0, 255}), kMask, kMask, disc(), look_of(Background::kMask));
  const Rgba frame = mixed_frame(opacity);
  Plane alpha(opacity.pixels.size() / 4);
  for (size_t i = 0; i < alpha.size(); ++i) alpha[i] = opacity.pixels[4 * i] / 255.0;
  std::array<Plane, 3> estimates;
  for (size_t c = 0; c < 3; ++c) {
    Plane plane(alpha.size());
    for (size_t i = 0; i < plane.size(); ++i) plane[i] = frame.pixels[4 * i + c] / 255.0;
    estimates[c] = estimate(plane, alpha, kHeight / 24.0, kHeight / 270.0);
  }
  const double reference = edge_error(opacity, [&](int32_t x, int32_t y) {
    const size_t i = index(x, y);
    return mix(kNew, {estimates[0][i], estimates[1][i], estimates[2][i]}, alpha[i]);
  });

  SegmentLook look = new_color();
  look.despill = false;
  const double without = error_of(opacity, draw(frame, kMask, kMask, disc(), look));
  look.despill = true;
  const double with = error_of(opacity, draw(frame, kMask, kMask, disc(), look));
  std::printf("error of composed colors at edges, of 255: %.2f without despill, %.2f with; scalar estimator %.2f\n",
              without, with, reference);
  EXPECT_LT(with, 0.5 * without);
  EXPECT_NEAR(with, reference, 0.05 * without);

  for (const bool premultiply : {false, true}) {
    SegmentLook transparent = look_of(Background::kTransparent);
    transparent.premultiply = premultiply;
    const double error = error_of(opacity, over_new(draw(frame, kMask, kMask, disc(), transparent), premultiply));
    std::printf("transparent, %s: %.2f\n", premultiply ? "premultiplied" : "straight", error);
    EXPECT_LT(error, 0.5 * without);
  }
  const Rgba picture = solid(kWidth, kHeight, {13, 26, 102, 255});
  ASSERT_TRUE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels))).ok());
  EXPECT_LT(error_of(opacity, draw(frame, kMask, kMask, disc(), look_of(Background::kImage))), 0.5 * without);
}

// Where an edge is spread or moved, pixels of the old background are composited as foreground, and do not glow.
TEST_F(DespillTest, EdgesThatAreMovedDoNotGlow) {
  const Rgba opacity = draw(solid(kWidth, kHeight, {0, 0, 0, 255}), kMask, kMask, disc(), look_of(Background::kMask));
  const Rgba frame = mixed_frame(opacity);
  for (const auto& [feather, edge_offset] : {std::pair{8.0F, 0.0F}, {24.0F, 0.0F}, {-16.0F, 0.0F}, {0.0F, 6.0F}}) {
    const auto draw_look = [&, feather = feather, edge_offset = edge_offset](Background background, bool despill) {
      SegmentLook look = new_color();
      look.background = background;
      look.feather = feather;
      look.edge_offset = edge_offset;
      look.despill = despill;
      return draw(frame, kMask, kMask, disc(), look);
    };
    const Rgba shaped = draw_look(Background::kMask, false);
    const double without = error_of(shaped, draw_look(Background::kColor, false));
    const double with = error_of(shaped, draw_look(Background::kColor, true));
    std::printf("feather %3.0f, edge-offset %1.0f: error %.2f without despill, %.2f with\n",
                static_cast<double>(feather), static_cast<double>(edge_offset), without, with);
    EXPECT_LT(with, 0.5 * without + 0.5);
  }
}

// What is opaque is the frame, and what the frame is composited with only matters where both are mixed.
TEST_F(DespillTest, OpaquePixelsAreTheFrame) {
  const Rgba opacity = draw(solid(kWidth, kHeight, {0, 0, 0, 255}), kMask, kMask, disc(), look_of(Background::kMask));
  const Rgba frame = make_frame(kWidth, kHeight), out = draw(frame, kMask, kMask, disc(), new_color());
  int opaque = 0;
  for (size_t i = 0; i < frame.pixels.size(); ++i) {
    if (opacity.pixels[i - i % 4] != 255) continue;
    ASSERT_EQ(out.pixels[i], frame.pixels[i]) << i;
    ++opaque;
  }
  EXPECT_GT(opaque, 4 * 20000);
}

// Backgrounds that are the frame itself are composited with the frame's colors.
TEST_F(DespillTest, ABlurredBackgroundKeepsTheFramesColors) {
  const Rgba frame = make_frame(kWidth, kHeight);
  SegmentLook look = look_of(Background::kBlur);
  const Rgba on = draw(frame, kMask, kMask, disc(), look);
  look.despill = false;
  EXPECT_EQ(largest_difference(on, draw(frame, kMask, kMask, disc(), look)), 0);
}

TEST_F(DespillTest, AnySize) {
  std::vector<float> mask(9 * 5);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<float>(i % 4) / 3;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {3, 5}, {17, 333}, {641, 479}}) {
    const Rgba even = solid(width, height, {200, 100, 50, 255});
    const Rgba out = draw(even, 9, 5, mask, look_of(Background::kTransparent));
    for (size_t i = 0; i < out.pixels.size(); i += 4) {
      if (out.pixels[i + 3] < 4) continue;
      ASSERT_NEAR(out.pixels[i], 200, 2) << width << "x" << height << ", pixel " << i / 4;
      ASSERT_NEAR(out.pixels[i + 2], 50, 2) << width << "x" << height << ", pixel " << i / 4;
    }
  }
}

}  // namespace
}  // namespace sightglass::test

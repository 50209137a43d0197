// What refining makes of edges that are known: no trace of the mask's grid, and nothing where the model is sure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <random>
#include <vector>

#include "compositor_case.h"

namespace sightglass::test {
namespace {

constexpr int32_t kEdgeWidth = 1280, kEdgeHeight = 720, kEdgeMask = 256;

class RefinedEdgeTest : public CompositorTest {
 protected:
  Rgba draw_refined(Refine refine, const Rgba& frame, const std::vector<float>& mask) {
    auto compositor =
        Compositor::create(ShareGroup::create(gl(), nullptr, element_shaders()), FrameKind::kRgba, refine);
    EXPECT_TRUE(compositor.ok()) << compositor.status().message();
    compositor_.emplace(std::move(compositor).value());
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
  Rgba frame(kEdgeWidth, kEdgeHeight);
  std::minstd_rand random(1);
  std::normal_distribution<double> noise(0, 5);
  for (int32_t y = 0; y < kEdgeHeight; ++y) {
    for (int32_t x = 0; x < kEdgeWidth; ++x) {
      const double share = std::clamp(0.5 - beyond_line(x + 0.5, y + 0.5), 0.0, 1.0);
      for (int c = 0; c < 3; ++c) {
        frame.at(x, y)[c] = static_cast<uint8_t>(std::clamp(150 - 10 * c - 30 * share + noise(random), 0.0, 255.0));
      }
      frame.at(x, y)[3] = 255;
    }
  }
  return frame;
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
  Rgba frame(kEdgeWidth, kEdgeHeight);
  for (int32_t y = 0; y < kEdgeHeight; ++y) {
    for (int32_t x = 0; x < kEdgeWidth; ++x) {
      const double colors[] = {128 + 120 * wave(x + 4, y), 128 + 120 * wave(y + 300, x),
                               128 + 120 * wave(x - 5, y + 4)};
      for (int c = 0; c < 3; ++c) frame.at(x, y)[c] = static_cast<uint8_t>(colors[c] + 0.5);
      frame.at(x, y)[3] = 255;
    }
  }
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
  Rgba frame(kEdgeWidth, kEdgeHeight);
  for (int32_t y = 0; y < kEdgeHeight; ++y) {
    for (int32_t x = 0; x < kEdgeWidth; ++x) {
      const double d = beyond_disc(x + 0.5, y + 0.5);
      const bool dark = d < 0 && (d < -35 || d > -22);
      std::fill_n(frame.at(x, y), 3, static_cast<uint8_t>(dark ? 40 : 200));
      frame.at(x, y)[3] = 255;
    }
  }
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

}  // namespace
}  // namespace sightglass::test

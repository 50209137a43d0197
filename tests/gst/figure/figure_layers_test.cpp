// The layers that glfiguresrc outputs add up to its image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "figure_truth.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 320, kHeight = 240;

struct Layers {
  Rgba picture, alpha, foreground, background;
};

Layers layers_of(const std::string& properties) {
  const auto drawn = [&](const char* output) {
    return draw_figure(kWidth, kHeight, properties + " output=" + output).picture;
  };
  return {drawn("picture"), drawn("alpha"), drawn("foreground"), drawn("background")};
}

struct Errors {
  double mean = 0, greatest = 0;  // of levels from 0 to 255
  size_t mixed = 0;               // pixels of both figure and background
};

// Of alpha x foreground + (1 - alpha) x background against the picture, over the pixels that are a mixture.
Errors errors_of(const Layers& layers) {
  Errors errors;
  size_t values = 0;
  for (size_t i = 0; i < layers.picture.pixels.size(); ++i) {
    if (i % 4 == 3) continue;
    const double alpha = layers.alpha.pixels[i] / 255.0;
    const double mixed = alpha * layers.foreground.pixels[i] + (1 - alpha) * layers.background.pixels[i];
    const double error = std::abs(mixed - layers.picture.pixels[i]);
    errors.greatest = std::max(errors.greatest, error);
    if (alpha <= 0 || alpha >= 1) continue;
    errors.mean += error;
    ++values;
  }
  errors.mean /= static_cast<double>(std::max<size_t>(values, 1));
  errors.mixed = values / 3;
  return errors;
}

// Returns the errors of the figures with the seeds from 300 on.
std::vector<Errors> errors_of_figures(int count, const std::string& properties) {
  std::vector<Errors> all;
  for (int seed = 300; seed < 300 + count; ++seed) {
    const Errors errors = errors_of(layers_of(properties + " seed=" + std::to_string(seed)));
    std::printf("seed %d: %zu mixed pixels, mean error %.2f, maximum %.2f\n", seed, errors.mixed, errors.mean,
                errors.greatest);
    all.push_back(errors);
  }
  return all;
}

// The camera bends the colors of mixtures, because it applies to plain images as a whole.
TEST(FigureLayers, AddUpToPlainPictures) {
  for (const Errors& errors : errors_of_figures(4, "detail=plain")) {
    EXPECT_GT(errors.mixed, 100U);
    EXPECT_LT(errors.mean, 2);
  }
}

TEST(FigureLayers, AddUpToFinePictures) {
  for (const Errors& errors : errors_of_figures(3, "detail=fine shutter=0.5")) {
    EXPECT_GT(errors.mixed, 200U);
    EXPECT_LE(errors.greatest, 2);
  }
}

// Equals the picture where no figure is, and goes on behind the figure.
TEST(FigureLayers, TheRoomIsEmpty) {
  for (const std::string properties : {"seed=300", "seed=301", "seed=301 detail=fine"}) {
    const Layers layers = layers_of(properties);
    const Figure room = draw_figure(kWidth, kHeight, properties + " output=room");
    EXPECT_EQ(std::ranges::count_if(room.mask, [](uint8_t share) { return share != 0; }), 0) << properties;
    EXPECT_TRUE(std::ranges::all_of(room.key_points, [](const auto& point) { return point.visibility == 0; }));
    int greatest = 0;
    size_t outside = 0, inside = 0, black = 0;
    for (size_t i = 0; i < room.picture.pixels.size(); i += 4) {
      const bool covered = layers.alpha.pixels[i] == 255;
      int brightest = 0;
      for (size_t c = 0; c < 3; ++c) {
        const int level = room.picture.pixels[i + c];
        brightest = std::max(brightest, level);
        if (layers.alpha.pixels[i] == 0) greatest = std::max(greatest, std::abs(level - layers.picture.pixels[i + c]));
      }
      outside += layers.alpha.pixels[i] == 0 ? 1 : 0;
      inside += covered ? 1 : 0;
      black += covered && brightest == 0 ? 1 : 0;
    }
    std::printf("%s: differs by %d at most in %zu pixels; %zu of %zu behind the figure are black\n", properties.c_str(),
                greatest, outside, black, inside);
    EXPECT_GT(std::min(outside, inside), 1000U) << properties;
    EXPECT_LE(greatest, 2) << properties;
    EXPECT_LT(black, inside / 10) << properties;
  }
}

double mean_alpha(const std::string& properties) {
  const Rgba alpha = draw_figure(kWidth, kHeight, properties + " output=alpha").picture;
  double sum = 0;
  for (size_t i = 0; i < alpha.pixels.size(); i += 4) sum += alpha.pixels[i] / 255.0;
  return sum / static_cast<double>(kWidth * kHeight);
}

// Fine detail has more samples per pixel, but covers nearly the same part of the image.
TEST(FigureLayers, FineDetailCoversAboutAsMuch) {
  for (int seed = 300; seed < 302; ++seed) {
    const std::string properties = "seed=" + std::to_string(seed);
    const double plain = mean_alpha(properties), fine = mean_alpha(properties + " detail=fine");
    std::printf("seed %d: %.4f of the image in plain detail, %.4f in fine detail\n", seed, plain, fine);
    EXPECT_NEAR(fine, plain, 0.03) << seed;
    EXPECT_NE(fine, plain) << seed;
  }
}

// A moving figure has more pixels with an alpha between 0 and 1. This one moves in its first frame.
TEST(FigureLayers, TheShutterBlursWhatMoves) {
  const auto mixed = [](const std::string& shutter) {
    const std::string properties = "seed=304 detail=fine output=alpha shutter=" + shutter;
    const Rgba alpha = draw_figure(kWidth, kHeight, properties).picture;
    ptrdiff_t pixels = 0;
    for (size_t i = 0; i < alpha.pixels.size(); i += 4) pixels += alpha.pixels[i] > 0 && alpha.pixels[i] < 255 ? 1 : 0;
    return pixels;
  };
  const ptrdiff_t still = mixed("0"), blurred = mixed("1");
  std::printf("%td mixed pixels without motion blur, %td with\n", still, blurred);
  EXPECT_GT(blurred, still + still / 4);
}

}  // namespace
}  // namespace sightglass::test

// The layers that glfiguresrc shows add up to its picture.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

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

// The camera bends the colors of mixtures: it sees plain pictures as a whole.
TEST(FigureLayers, AddUpToPlainPictures) {
  for (int seed = 300; seed < 308; ++seed) {
    const Errors errors = errors_of(layers_of("seed=" + std::to_string(seed)));
    std::printf("seed %d: %zu mixed pixels, error %.2f, at most %.2f\n", seed, errors.mixed, errors.mean,
                errors.greatest);
    EXPECT_GT(errors.mixed, 100U) << seed;
    EXPECT_LT(errors.mean, 2) << seed;
  }
}

}  // namespace
}  // namespace sightglass::test

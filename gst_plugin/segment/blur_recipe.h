// How to make a blur of a given radius from a pyramid of halvings and a small kernel on its last level.
#pragma once

#include <array>
#include <cstdint>

#include "segment/shaders.h"

namespace sightglass {

// In frame pixels. A fifth of the height of 8K, and the levels that it needs.
inline constexpr float kMaxBlurRadius = 1024;
inline constexpr int kMaxBlurLevels = 8;

// A Gaussian whose radius is two standard deviations.
struct BlurRecipe {
  static constexpr float kLeastRadius = 3;  // of one halving and the enlargement by themselves

  int levels = 1;
  float share = 1;   // of the blurred image in the result; below 1 for radii smaller than the pyramid can make
  float center = 1;  // weight of the central texel; 1: no Gaussian is needed
  std::array<float, 16> taps{};  // four times: distance in texels, weight per side, 0, 0

  // `radius` in frame pixels, 0 to kMaxBlurRadius.
  static BlurRecipe for_radius(float radius);
};

// A flat disc. Its standard deviation along an axis is half its radius, as that of the Gaussian.
struct DiscRecipe {
  using Taps = std::array<std::array<float, 4>, kDiscTaps>;

  int levels = 1;
  float share = 1;
  float center = 1;  // weight of the central texel
  int count = 0;     // of the taps
  // Offset x, y in texels, and weight. Each tap counts four times, rotated by quarter turns.
  Taps taps{};

  // `radius` in frame pixels, 0 to kMaxBlurRadius.
  static DiscRecipe for_radius(float radius);
};

}  // namespace sightglass

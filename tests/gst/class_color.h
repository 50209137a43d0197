// Colors of classes as shaders/draw/palette.glsl computes them: distinct from those of classes with nearby indices.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace sightglass {

// R G B A in [0,1]; `number` is not negative.
inline std::array<float, 4> class_color(int number) {
  const auto fraction = [](float x) { return x - std::floor(x); };
  const float hue = fraction(static_cast<float>(number) * 0.61803399F + 0.58F);  // golden ratio steps
  const float light = number % 2 == 0 ? 1.0F : 0.75F;
  std::array<float, 4> color{0, 0, 0, 1};
  for (size_t i = 0; i < 3; ++i) {
    const float turn = static_cast<float>((3 - i) % 3) / 3.0F;
    const float ramp = std::clamp(std::abs(fraction(hue + turn) * 6.0F - 3.0F) - 1.0F, 0.0F, 1.0F);
    color[i] = (0.25F + 0.75F * ramp) * light;
  }
  return color;
}

}  // namespace sightglass

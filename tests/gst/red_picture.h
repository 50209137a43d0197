// Images for red_model(), whose foreground is red pixels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gl_pictures.h"

namespace sightglass::test {

inline constexpr std::array<uint8_t, 4> kRed = {230, 20, 20, 255};
inline constexpr std::array<uint8_t, 4> kGray = {60, 120, 180, 255};

// Returns an image that is red where `red(x, y)` holds, and gray elsewhere.
template <typename Predicate>
Rgba picture(int32_t width, int32_t height, Predicate red) {
  Rgba frame(width, height);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) std::copy_n(red(x, y) ? kRed.data() : kGray.data(), 4, frame.at(x, y));
  }
  return frame;
}

inline Rgba left_half_red(int32_t width, int32_t height) {
  return picture(width, height, [=](int32_t x, int32_t) { return x < width / 2; });
}

// An opaque image of one color.
inline Rgba filled(int32_t width, int32_t height, std::array<uint8_t, 3> color) {
  Rgba frame(width, height);
  for (size_t i = 0; i < frame.pixels.size(); i += 4) {
    std::ranges::copy(color, frame.pixels.begin() + static_cast<std::ptrdiff_t>(i));
    frame.pixels[i + 3] = 255;
  }
  return frame;
}

}  // namespace sightglass::test

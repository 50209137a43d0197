// Converts colors between properties, 0xAARRGGBB, and shaders, R G B A in [0,1].
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline uint32_t pack_argb(const std::array<float, 4>& color) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(std::lround(color[i] * 255)); };
  return byte(3) << 24 | byte(0) << 16 | byte(1) << 8 | byte(2);
}

inline std::array<float, 4> unpack_argb(uint32_t argb) {
  const auto channel = [&](int shift) { return static_cast<float>(argb >> shift & 0xFF) / 255.0F; };
  return {channel(16), channel(8), channel(0), channel(24)};
}

}  // namespace sightglass

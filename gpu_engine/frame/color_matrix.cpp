#include "sightglass/color_matrix.h"

#include <cstddef>
#include <utility>

namespace sightglass {

// H.273 defines E'Y = KR E'R + (1 - KR - KB) E'G + KB E'B, E'PB = (E'B - E'Y) / (2 (1 - KB)) and
// E'PR = (E'R - E'Y) / (2 (1 - KR)). The rows below solve these for E'R, E'G and E'B.
ColorMatrix ycbcr_to_rgb(const LumaWeights& weights, SampleRange range) {
  const bool full = range == SampleRange::kFull;
  const double luma = 255.0 / (full ? 255 : 219), chroma = 255.0 / (full ? 255 : 224);
  const double black = full ? 0 : 16.0 / 219, middle = 128.0 / (full ? 255 : 224);
  const double red = 2 * (1 - weights.kr), blue = 2 * (1 - weights.kb);
  const double green = 1 - weights.kr - weights.kb;
  const double rows[3][2] = {{0, red}, {-weights.kb * blue / green, -weights.kr * red / green}, {blue, 0}};
  ColorMatrix matrix;
  for (size_t i = 0; i < 3; ++i) {
    const auto [cb, cr] = rows[i];
    matrix.m[4 * i] = static_cast<float>(luma);
    matrix.m[4 * i + 1] = static_cast<float>(cb * chroma);
    matrix.m[4 * i + 2] = static_cast<float>(cr * chroma);
    matrix.m[4 * i + 3] = static_cast<float>(-black - (cb + cr) * middle);
  }
  return matrix;
}

ColorMatrix rgb_to_ycbcr(const LumaWeights& weights, SampleRange range) {
  const bool full = range == SampleRange::kFull;
  const double luma = full ? 1 : 219.0 / 255, chroma = full ? 1 : 224.0 / 255;
  const double black = full ? 0 : 16.0 / 255, middle = 128.0 / 255;
  const double y[3] = {weights.kr, 1 - weights.kr - weights.kb, weights.kb};
  ColorMatrix matrix;
  for (size_t i = 0; i < 3; ++i) {
    const double red = i == 0 ? 1 : 0, blue = i == 2 ? 1 : 0;
    matrix.m[i] = static_cast<float>(luma * y[i]);
    matrix.m[4 + i] = static_cast<float>(chroma * (blue - y[i]) / (2 * (1 - weights.kb)));
    matrix.m[8 + i] = static_cast<float>(chroma * (red - y[i]) / (2 * (1 - weights.kr)));
  }
  matrix.m[3] = static_cast<float>(black);
  matrix.m[7] = matrix.m[11] = static_cast<float>(middle);
  return matrix;
}

ColorMatrix with_chroma_swapped(ColorMatrix matrix) {
  for (size_t i = 0; i < 3; ++i) std::swap(matrix.m[4 * i + 1], matrix.m[4 * i + 2]);
  return matrix;
}

}  // namespace sightglass

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sightglass/color_matrix.h"
#include "sightglass/input_transform.h"

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

InputTransform InputTransform::then(const InputTransform& next) const {
  const auto& a = m;
  const auto& b = next.m;
  return {{b[0] * a[0] + b[1] * a[3], b[0] * a[1] + b[1] * a[4], b[0] * a[2] + b[1] * a[5] + b[2],
           b[3] * a[0] + b[4] * a[3], b[3] * a[1] + b[4] * a[4], b[3] * a[2] + b[4] * a[5] + b[5]}};
}

InputTransform InputTransform::inverse() const {
  const float det = m[0] * m[4] - m[1] * m[3];
  return {{m[4] / det, -m[1] / det, (m[1] * m[5] - m[4] * m[2]) / det, -m[3] / det, m[0] / det,
           (m[3] * m[2] - m[0] * m[5]) / det}};
}

InputTransform upright_to_stored(Orientation orientation) {
  switch (orientation) {
    case Orientation::kIdentity:
      return {{1, 0, 0, 0, 1, 0}};
    case Orientation::kRotate90:
      return {{0, 1, 0, -1, 0, 1}};
    case Orientation::kRotate180:
      return {{-1, 0, 1, 0, -1, 1}};
    case Orientation::kRotate270:
      return {{0, -1, 1, 1, 0, 0}};
    case Orientation::kMirror:
      return {{-1, 0, 1, 0, 1, 0}};
    case Orientation::kFlip:
      return {{1, 0, 0, 0, -1, 1}};
    case Orientation::kTranspose:
      return {{0, 1, 0, 1, 0, 0}};
    case Orientation::kAntiTranspose:
      return {{0, -1, 1, -1, 0, 1}};
  }
  return {};
}

bool swaps_axes(Orientation orientation) {
  return orientation == Orientation::kRotate90 || orientation == Orientation::kRotate270 ||
         orientation == Orientation::kTranspose || orientation == Orientation::kAntiTranspose;
}

InputTransform make_input_transform(int32_t width, int32_t height, int32_t tensor_width, int32_t tensor_height, Fit fit,
                                    Orientation orientation, const CropRect& crop) {
  if (swaps_axes(orientation)) std::swap(width, height);

  // Number of tensors that fit along each axis of the crop. Above 1, the tensor covers only the middle of the crop.
  const float crop_aspect = (crop.width * static_cast<float>(width)) / (crop.height * static_cast<float>(height));
  const float ratio = crop_aspect * static_cast<float>(tensor_height) / static_cast<float>(tensor_width);
  float scale_x = 1, scale_y = 1;
  if (fit == Fit::kLetterbox) {
    scale_x = std::max(1.0f, 1.0f / ratio);
    scale_y = std::max(1.0f, ratio);
  } else if (fit == Fit::kCover) {
    scale_x = std::min(1.0f, 1.0f / ratio);
    scale_y = std::min(1.0f, ratio);
  }
  const InputTransform tensor_to_crop{{scale_x, 0, 0.5f - 0.5f * scale_x, 0, scale_y, 0.5f - 0.5f * scale_y}};
  const InputTransform crop_to_upright{{crop.width, 0, crop.x, 0, crop.height, crop.y}};
  return tensor_to_crop.then(crop_to_upright).then(upright_to_stored(orientation));
}

}  // namespace sightglass

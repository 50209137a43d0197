// Maps model input pixels to camera texture coordinates. Plain arithmetic, no GL.
#pragma once

#include <array>
#include <cstdint>

namespace sightglass {

// Coordinates are fractions: (0,0) is the top left corner of the first stored row, (1,1) the opposite corner, for both
// tensor and texture.
//   texture.x = m[0] * tensor.x + m[1] * tensor.y + m[2]
//   texture.y = m[3] * tensor.x + m[4] * tensor.y + m[5]
// A tensor pixel that maps outside [0,1]² gets the padding color of the plan (letterbox).
struct InputTransform {
  std::array<float, 6> m{1, 0, 0, 0, 1, 0};

  // Applies this transform, then `next`.
  InputTransform then(const InputTransform& next) const;
  // The inverse, from texture to tensor. The matrix must not be singular.
  InputTransform inverse() const;
};

// How an image is scaled to fit a tensor of another aspect ratio.
enum class Fit : uint8_t {
  kStretch,    // each axis independently
  kLetterbox,  // the whole image, centered, with letterbox bars
  kCover,      // fills the tensor; the image is cropped
};

// The eight orientations, named after the operation that makes the stored image upright.
enum class Orientation : uint8_t {
  kIdentity,
  kRotate90,  // clockwise, like the next two
  kRotate180,
  kRotate270,
  kMirror,         // swaps left and right
  kFlip,           // swaps top and bottom
  kTranspose,      // across the diagonal from top left to bottom right
  kAntiTranspose,  // across the other diagonal
};

// Whether the upright image is as wide as the stored one is high.
bool swaps_axes(Orientation orientation);
// Maps coordinates in the upright image to coordinates in the stored one.
InputTransform upright_to_stored(Orientation orientation);

// A rectangle of the upright image, in fractions.
struct CropRect {
  float x = 0, y = 0, width = 1, height = 1;
};

// Composes the transform for a texture of width × height pixels and a tensor of tensor_width × tensor_height. The
// orientation is applied first, then the crop, then the fit.
InputTransform make_input_transform(int32_t width, int32_t height, int32_t tensor_width, int32_t tensor_height,
                                    Fit fit = Fit::kStretch, Orientation orientation = Orientation::kIdentity,
                                    const CropRect& crop = {});

}  // namespace sightglass

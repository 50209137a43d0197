// Where a model's input pixel lies in a camera texture. Plain arithmetic, no GL.
#pragma once

#include <array>
#include <cstdint>

namespace sightglass {

// Coordinates are fractions: (0,0) is the top left corner of the first stored row, (1,1) the opposite corner, for the
// tensor and for the texture alike.
//   texture.x = m[0] * tensor.x + m[1] * tensor.y + m[2]
//   texture.y = m[3] * tensor.x + m[4] * tensor.y + m[5]
// A tensor pixel whose place falls outside [0,1]² gets the plan's padding colour (letterbox).
struct InputTransform {
  std::array<float, 6> m{1, 0, 0, 0, 1, 0};

  // First this, then `next`: the result maps through both.
  InputTransform then(const InputTransform& next) const;
  // The way back, from texture to tensor. The matrix must not be singular.
  InputTransform inverse() const;
};

// How a picture is laid into a tensor of another aspect ratio.
enum class Fit : uint8_t {
  kStretch,    // each axis on its own
  kLetterbox,  // the whole picture, centred, with bars
  kCover,      // the tensor is filled, the picture's overhang is cut off
};

// The eight orientations, as what has to be done to the stored picture to see it upright.
enum class Orientation : uint8_t {
  kIdentity,
  kRotate90,  // clockwise, like the next two
  kRotate180,
  kRotate270,
  kMirror,         // left and right change places
  kFlip,           // top and bottom change places
  kTranspose,      // across the diagonal from top left to bottom right
  kAntiTranspose,  // across the other diagonal
};

// Whether the upright picture is as wide as the stored one is high.
bool swaps_axes(Orientation orientation);
// From a place in the upright picture to the same place in the stored one.
InputTransform upright_to_stored(Orientation orientation);

// A rectangle of the upright picture, in fractions.
struct CropRect {
  float x = 0, y = 0, width = 1, height = 1;
};

// Composes the transform for a texture of width × height pixels and a tensor of tensor_width × tensor_height. The
// orientation is applied first, then the crop, then the fit.
InputTransform make_input_transform(int32_t width, int32_t height, int32_t tensor_width, int32_t tensor_height,
                                    Fit fit = Fit::kStretch, Orientation orientation = Orientation::kIdentity,
                                    const CropRect& crop = {});

}  // namespace sightglass

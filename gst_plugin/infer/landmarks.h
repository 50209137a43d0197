// The landmarks of the faces, hands or eyes that a frame shows, as the decoder leaves them on the GPU: the content of
// one buffer, as shaders/infer/landmarks.glsl declares it (std430).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr int32_t kMaxLandmarks = 478;
inline constexpr int32_t kMaxLandmarkObjects = 8;

struct Landmarks {
  int32_t count = 0;  // of `points`, by the model; 0: nothing was found here
  float score = 0;    // in [0,1]: how likely there is one; 1 for models that do not say
  float right = 0;    // in [0,1]: how likely it is a right hand and not a left one, in an image that is not mirrored
  int32_t id = 0;     // the same from frame to frame while the object is tracked; 0: it is not
  // x and y in fractions of the upright frame; z, the depth, in fractions of its width, negative towards the camera;
  // 0. Those from `count` on mean nothing.
  std::array<std::array<float, 4>, kMaxLandmarks> points{};
};
struct LandmarkObjects {
  int32_t count = 0;
  std::array<int32_t, 3> unused{};
  std::array<Landmarks, kMaxLandmarkObjects> objects{};  // those from `count` on mean nothing
};
static_assert(offsetof(Landmarks, points) == 16 && sizeof(Landmarks) == 16 + 16 * kMaxLandmarks);
static_assert(sizeof(LandmarkObjects) == 16 + kMaxLandmarkObjects * sizeof(Landmarks));

}  // namespace sightglass

// The landmarks of the one face (or hand) that a frame shows, as the decoder leaves them on the GPU: the content of one
// buffer, as shaders/infer/landmarks.glsl declares it (std430).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr int32_t kMaxLandmarks = 478;

struct Landmarks {
  int32_t count = 0;  // of `points`, by the model
  float score = 0;    // in [0,1]: how likely there is one; 1 for models that do not say
  std::array<int32_t, 2> unused{};
  // x and y in fractions of the upright frame; z, the depth, in fractions of its width, negative towards the camera;
  // 0. Those from `count` on mean nothing.
  std::array<std::array<float, 4>, kMaxLandmarks> points{};
};
static_assert(offsetof(Landmarks, points) == 16 && sizeof(Landmarks) == 16 + 16 * kMaxLandmarks);

}  // namespace sightglass

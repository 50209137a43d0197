// The landmarks of the one face (or hand) in a frame as the decoder writes them on the GPU: the content of one buffer,
// declared in shaders/infer/landmarks.glsl (std430).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr int32_t kMaxLandmarks = 478;

struct Landmarks {
  int32_t count = 0;  // valid entries of `points`, by the model
  float score = 0;    // in [0,1]: probability of a face or hand; 1 for models without such an output
  std::array<int32_t, 2> unused{};
  // x and y in fractions of the upright frame; z, the depth, in fractions of its width, negative towards the camera;
  // 0. Undefined from `count` on.
  std::array<std::array<float, 4>, kMaxLandmarks> points{};
};
static_assert(offsetof(Landmarks, points) == 16 && sizeof(Landmarks) == 16 + 16 * kMaxLandmarks);

}  // namespace sightglass

// The camera in front of the figure, and the visibility of keypoints.
#pragma once

#include <array>
#include <cstdint>

#include "figure/scene.h"

namespace sightglass::figure {

struct View {
  Vec3 eye;
  Mat3 axes;                   // right, up, backwards
  float tangent = 0.5F;        // of half the vertical field of view
  float aspect = 1;            // width / height
  std::array<float, 2> pan{};  // its rotation, in half frame heights

  static View of(uint32_t seed, double seconds, Framing framing, const Body& body, float aspect);

  std::array<Vec4, 4> clip_matrix() const;
  // x, y relative to the frame center in half frame heights, y up; z: distance along the axis, negative behind the
  // camera.
  Vec3 project(Vec3 point) const;
};

// `before` are the cards between figure and camera. The result keeps no reference.
std::array<KeyPoint, kKeyPoints> key_points_of(const Body& body, const Skeleton& bones, const Appearance& appearance,
                                               const View& view, const std::vector<Card>& before);

}  // namespace sightglass::figure

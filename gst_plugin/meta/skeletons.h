// Names of the keypoints of pose models, and the connections between them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace sightglass {

struct Skeleton {
  const char* name;                                    // "coco-17"
  std::span<const char* const> points;                 // names, by index: "left_elbow"
  std::span<const std::pair<uint8_t, uint8_t>> bones;  // pairs of indices
};

// BlazePose: 33 points, named and connected as in MediaPipe.
const Skeleton& blazepose_skeleton();
// MoveNet, PoseNet and other models with the 17 points of COCO.
const Skeleton& coco_skeleton();
// The 21 points of a hand with the names and connections of MediaPipe.
const Skeleton& hand_skeleton();
// "point_0", "point_1" and so on, unconnected; `points` is 1 to kMaxKeyPoints.
const Skeleton& nameless_skeleton(int32_t points);

}  // namespace sightglass

// What the key points of a pose model are called, and which of them are connected.
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

// BlazePose: 33 points, as MediaPipe names and connects them.
const Skeleton& blazepose_skeleton();
// MoveNet, PoseNet and other models of COCO's 17 points.
const Skeleton& coco_skeleton();
// The 21 points of a hand, as MediaPipe names and connects them.
const Skeleton& hand_skeleton();
// "point_0", "point_1" and so on, not connected; 1 to kMaxKeyPoints of them.
const Skeleton& nameless_skeleton(int32_t points);

}  // namespace sightglass

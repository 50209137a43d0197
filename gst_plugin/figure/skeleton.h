// Body measurements, the pose at a time, and the joint positions in that pose.
#pragma once

#include <array>
#include <cstdint>

#include "figure/vec.h"

namespace sightglass::figure {

// Sides: 0 is the left of the figure (positive x), 1 the right.
constexpr float side_sign(size_t side) { return side == 0 ? 1.0F : -1.0F; }

// In meters.
struct Body {
  float height = 1.7F;
  float girth = 1;                      // factor on thicknesses
  float bust = 0;                       // 0 to 1
  float shoulder = 0.19F, hip = 0.09F;  // from the center to a joint
  float spine = 0.5F;                   // from the pelvis to the base of the neck
  float neck = 0.1F;                    // from the base of the neck to the pivot of the head
  float head = 0.115F;                  // half of the head height
  float upper_arm = 0.29F, forearm = 0.25F, hand = 0.18F;
  float thigh = 0.42F, shin = 0.41F, foot = 0.24F;
  float head_width = 1, jaw = 1, head_depth = 1;  // factors

  static Body of(uint32_t seed);
};

// In degrees, within Pose::limits().
struct ArmPose {
  float abduction = 10;  // of the upper arm, sideways from hanging down
  float flexion = 5;     // of the upper arm, forwards from hanging down
  float twist = 10;      // about the upper arm; positive turns the forearm inwards
  float elbow = 15;      // 0: straight
  float wrist = 0;       // bent toward the palm
  float roll = 0;        // of the hand about the forearm
  float curl = 20;       // of the fingers
};
struct LegPose {
  float abduction = 4, flexion = 0, knee = 4;
};
struct Pose {
  float turn = 0;                                     // of the whole body about the vertical
  float lean = 0, tilt = 0, twist = 0;                // of the chest: forwards, sideways, about the spine
  float head_yaw = 0, head_pitch = 0, head_roll = 0;  // of the head against the chest
  float shrug = 0;                                    // of the shoulders, 0 to 1
  float blink = 0, mouth = 0, smile = 0, brows = 0;   // 0 to 1 each, but for smile and brows: -1 to 1
  float gaze_x = 0, gaze_y = 0;                       // -1 to 1
  bool grounded = false;                              // the lower foot is on the floor; otherwise the pelvis is fixed
  std::array<ArmPose, 2> arms;
  std::array<LegPose, 2> legs;

  // Smooth in `seconds`. With `close`, arms are positioned as at a desk.
  static Pose of(uint32_t seed, double seconds, bool close);
};

struct Limb {
  std::array<Vec3, 3> joints;  // shoulder, elbow, wrist; hip, knee, ankle
  std::array<Mat3, 3> frames;  // of the parts that start at the joints; -y points along the part
};

struct Skeleton {
  Vec3 pelvis, chest, neck, head;  // head: midpoint of chin and crown
  Mat3 pelvis_frame, chest_frame, neck_frame, head_frame;
  std::array<Limb, 2> arms, legs;

  // The floor is at y = 0. Unless the pose is grounded, the pelvis is at its height above straight legs.
  static Skeleton of(const Body& body, const Pose& pose);
};

}  // namespace sightglass::figure

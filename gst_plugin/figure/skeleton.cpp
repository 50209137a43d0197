#include "figure/skeleton.h"

#include "figure/random.h"

namespace sightglass::figure {

Body Body::of(uint32_t seed) {
  Random random(seed, Stream::kBody);
  Body body;
  const bool slender = random.chance(0.5F);  // narrower shoulders, wider hips
  body.height = std::clamp(random.normal(slender ? 1.65F : 1.77F, 0.07F), 1.48F, 1.98F);
  const float scale = body.height / 1.7F;
  body.girth = std::clamp(random.normal(1.0F, 0.13F), 0.78F, 1.45F);
  body.bust = slender ? random.range(0.2F, 1) : random.range(0, 0.15F);
  body.shoulder = scale * random.range(0.158F, 0.180F) * (slender ? 0.92F : 1.04F) * mix(1, body.girth, 0.2F);
  body.hip = scale * random.range(0.085F, 0.1F) * (slender ? 1.04F : 0.96F);
  body.spine = scale * random.range(0.49F, 0.53F);
  body.neck = scale * random.range(0.068F, 0.098F);
  body.head = random.range(0.108F, 0.122F) * mix(1, scale, 0.4F);
  body.upper_arm = scale * random.range(0.28F, 0.305F);
  body.forearm = scale * random.range(0.235F, 0.26F);
  body.hand = scale * random.range(0.17F, 0.19F);
  body.thigh = scale * random.range(0.41F, 0.44F);
  body.shin = scale * random.range(0.40F, 0.42F);
  body.foot = scale * random.range(0.23F, 0.26F);
  body.head_width = random.range(0.92F, 1.07F);
  body.jaw = random.range(slender ? 0.8F : 0.92F, slender ? 1.0F : 1.15F) * mix(1, body.girth, 0.3F);
  body.head_depth = random.range(0.95F, 1.06F);
  return body;
}

namespace {

Limb arm_of(const Body& body, const ArmPose& pose, size_t side, const Mat3& chest, Vec3 shoulder) {
  const float s = side_sign(side);
  Limb arm;
  arm.frames[0] = chest * rotate_z(s * pose.abduction) * rotate_x(-pose.flexion) * rotate_y(-s * pose.twist);
  arm.frames[1] = arm.frames[0] * rotate_x(-pose.elbow);
  arm.frames[2] = arm.frames[1] * rotate_y(-s * pose.roll) * rotate_z(-s * pose.wrist);
  arm.joints[0] = shoulder;
  arm.joints[1] = arm.joints[0] + arm.frames[0].y * -body.upper_arm;
  arm.joints[2] = arm.joints[1] + arm.frames[1].y * -body.forearm;
  return arm;
}

Limb leg_of(const Body& body, const LegPose& pose, size_t side, const Mat3& pelvis, Vec3 hip) {
  const float s = side_sign(side);
  Limb leg;
  leg.frames[0] = pelvis * rotate_z(s * pose.abduction) * rotate_x(-pose.flexion);
  leg.frames[1] = leg.frames[0] * rotate_x(pose.knee);
  leg.frames[2] = leg.frames[1] * rotate_x(std::clamp(pose.flexion - pose.knee, -30.0F, 30.0F));
  leg.joints[0] = hip;
  leg.joints[1] = leg.joints[0] + leg.frames[0].y * -body.thigh;
  leg.joints[2] = leg.joints[1] + leg.frames[1].y * -body.shin;
  return leg;
}

}  // namespace

Skeleton Skeleton::of(const Body& body, const Pose& pose) {
  constexpr float kAnkle = 0.07F;  // above the floor
  Skeleton bones;
  bones.pelvis = {0, body.thigh + body.shin + kAnkle, 0};
  bones.pelvis_frame = rotate_y(pose.turn);
  const auto hip = [&](size_t side) {
    return bones.pelvis + bones.pelvis_frame * Vec3{side_sign(side) * body.hip, -0.02F, 0};
  };
  if (pose.grounded) {
    float lowest = bones.pelvis.y;
    for (size_t side = 0; side < 2; ++side) {
      lowest = std::min(lowest, leg_of(body, pose.legs[side], side, bones.pelvis_frame, hip(side)).joints[2].y);
    }
    bones.pelvis.y += kAnkle - lowest;
  }
  bones.chest_frame = bones.pelvis_frame * rotate_x(pose.lean) * rotate_z(pose.tilt) * rotate_y(pose.twist);
  // The spine bends in the middle: its lower half follows pelvis and chest equally.
  const Mat3 middle =
      bones.pelvis_frame * rotate_x(pose.lean * 0.5F) * rotate_z(pose.tilt * 0.5F) * rotate_y(pose.twist * 0.5F);
  bones.chest = bones.pelvis + middle.y * (body.spine * 0.55F);
  bones.neck = bones.chest + bones.chest_frame.y * (body.spine * 0.45F);
  bones.neck_frame = bones.chest_frame * rotate_y(pose.head_yaw * 0.4F) * rotate_z(pose.head_roll * 0.5F) *
                     rotate_x(pose.head_pitch * 0.5F + 8);
  bones.head_frame = bones.chest_frame * rotate_y(pose.head_yaw) * rotate_z(pose.head_roll) * rotate_x(pose.head_pitch);
  const Vec3 pivot = bones.neck + bones.neck_frame.y * body.neck;
  bones.head = pivot + bones.head_frame * Vec3{0, body.head * 0.62F, body.head * 0.12F};
  for (size_t side = 0; side < 2; ++side) {
    const float s = side_sign(side);
    const float drop = body.spine * mix(0.125F, 0.075F, pose.shrug);
    // A raised arm lifts its shoulder.
    const float raised = smoothstep(60, 150, std::max(pose.arms[side].abduction, pose.arms[side].flexion));
    const Vec3 shoulder =
        bones.neck + bones.chest_frame * Vec3{s * body.shoulder * (1 - 0.1F * raised), -drop + 0.04F * raised, -0.01F};
    bones.arms[side] = arm_of(body, pose.arms[side], side, bones.chest_frame, shoulder);
    bones.legs[side] = leg_of(body, pose.legs[side], side, bones.pelvis_frame, hip(side));
  }
  return bones;
}

}  // namespace sightglass::figure

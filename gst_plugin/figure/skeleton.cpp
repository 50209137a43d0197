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

// A sequence of poses: each is held, then changes to the next. Small movements are added.

namespace {

enum Gesture : uint8_t {
  kHanging,
  kTyping,
  kChin,
  kWave,
  kHips,
  kRaised,
  kCrossed,
  kPhone,
  kBehindHead,
  kSideways,
  kReaching,
  kTalking,
  kGestures
};

struct Range {
  float low, high;
};
struct ArmRange {
  Range abduction, flexion, twist, elbow, roll, curl;
};

// By Gesture.
constexpr ArmRange kArmRanges[kGestures] = {
    {{5, 18}, {-5, 12}, {0, 30}, {5, 30}, {-20, 20}, {15, 45}},
    {{8, 22}, {15, 45}, {15, 45}, {65, 105}, {-90, -50}, {20, 40}},
    {{5, 25}, {40, 62}, {20, 42}, {128, 146}, {-30, 40}, {30, 75}},
    {{45, 100}, {0, 30}, {-110, -75}, {60, 130}, {-30, 30}, {0, 20}},
    {{35, 50}, {-25, -8}, {70, 95}, {80, 110}, {-30, 30}, {20, 60}},
    {{135, 172}, {0, 20}, {-30, 30}, {5, 60}, {-40, 40}, {0, 40}},
    {{-3, 10}, {32, 48}, {52, 75}, {90, 112}, {-50, 30}, {15, 40}},
    {{25, 50}, {30, 55}, {5, 30}, {132, 147}, {-40, 10}, {55, 80}},
    {{105, 135}, {-10, 10}, {-120, -90}, {125, 145}, {-30, 30}, {20, 50}},
    {{65, 95}, {0, 30}, {-20, 30}, {0, 30}, {-60, 60}, {0, 30}},
    {{5, 35}, {60, 95}, {-10, 30}, {5, 45}, {-80, 40}, {10, 70}},
    {{10, 45}, {10, 50}, {-20, 45}, {70, 130}, {-60, 40}, {5, 50}},
};

float in(Random& random, Range range) { return random.range(range.low, range.high); }

ArmPose arm_in(Random& random, Gesture gesture) {
  const ArmRange& range = kArmRanges[gesture];
  return {in(random, range.abduction), in(random, range.flexion), in(random, range.twist), in(random, range.elbow),
          random.range(-25, 25),       in(random, range.roll),    in(random, range.curl)};
}

Gesture next_gesture(Random& random, bool close) {
  if (close) {
    return static_cast<Gesture>(random.pick({5, 5, 1.3F, 1.2F, 0.3F, 0.5F, 1.2F, 1, 0.7F, 0.4F, 1.6F, 2}));
  }
  return static_cast<Gesture>(random.pick({4, 0.6F, 0.7F, 1.2F, 1.3F, 1.2F, 1, 0.7F, 0.6F, 1.2F, 0.8F, 1.8F}));
}

Pose key_pose(uint32_t seed, uint32_t index, bool close) {
  Random random(seed, Stream::kPose, index + 16);
  Random habits(seed, Stream::kPose);
  Pose pose;
  pose.turn = habits.normal(0, close ? 14.0F : 24.0F) + (close || !habits.chance(0.25F) ? 0 : habits.range(-85, 85));
  const bool seated = close ? habits.chance(0.7F) : habits.chance(0.2F);
  pose.lean = random.normal(close ? 3.0F : 1.0F, 5);
  pose.tilt = random.normal(0, 4);
  pose.twist = random.normal(0, 8);
  pose.head_yaw = std::clamp(random.normal(-pose.turn * 0.6F, 16), -58.0F, 58.0F);
  pose.head_pitch = std::clamp(random.normal(0, 7), -28.0F, 32.0F);
  pose.head_roll = std::clamp(random.normal(0, 6), -24.0F, 24.0F);
  pose.shrug = random.range(0.0F, 0.7F);
  pose.smile = random.range(-0.5F, 1);
  pose.brows = random.range(-1, 1);
  pose.mouth = random.chance(0.35F) ? random.range(0.1F, 1) : 0;
  pose.gaze_x = random.normal(0, 0.35F);
  pose.gaze_y = random.normal(0, 0.25F);
  const Gesture gesture = next_gesture(random, close);
  const bool same = random.chance(gesture == kCrossed || gesture == kTyping || gesture == kHanging ? 0.9F : 0.35F);
  pose.arms[0] = arm_in(random, gesture);
  pose.arms[1] = arm_in(random, same ? gesture : next_gesture(random, close));
  if (random.chance(0.5F)) std::swap(pose.arms[0], pose.arms[1]);
  for (LegPose& leg : pose.legs) {
    leg = {random.range(1, 9), random.range(-8, 10), random.range(2, 14)};
    if (seated) leg = {random.range(4, 16), random.range(78, 92), random.range(75, 98)};
  }
  if (close || seated) return pose;
  switch (random.pick({5, 2.5F, 1, 1, 1})) {
    case 1: {  // a step
      const float stride = random.range(12, 32);
      pose.legs[0].flexion = stride;
      pose.legs[1] = {3, -stride * 0.6F, random.range(12, 40)};
      break;
    }
    case 2:  // a squat
      for (LegPose& leg : pose.legs) {
        const float depth = random.range(45, 105);
        leg = {random.range(8, 25), depth, depth * random.range(0.95F, 1.15F)};
      }
      pose.legs[1] = pose.legs[0];
      pose.lean += 0.35F * pose.legs[0].flexion;
      break;
    case 3:  // a lunge
      pose.legs[0] = {4, random.range(55, 92), random.range(60, 98)};
      pose.legs[1] = {4, random.range(-38, -18), random.range(4, 45)};
      break;
    case 4:  // legs apart
      for (LegPose& leg : pose.legs) leg.abduction = random.range(14, 38);
      break;
    default:
      break;
  }
  if (random.chance(0.5F)) std::swap(pose.legs[0], pose.legs[1]);
  return pose;
}

void blend(float& a, float b, float t) { a = mix(a, b, t); }

Pose blended(Pose a, const Pose& b, float t) {
  constexpr float Pose::*kParts[] = {&Pose::turn,       &Pose::lean,      &Pose::tilt,   &Pose::twist, &Pose::head_yaw,
                                     &Pose::head_pitch, &Pose::head_roll, &Pose::shrug,  &Pose::blink, &Pose::mouth,
                                     &Pose::smile,      &Pose::brows,     &Pose::gaze_x, &Pose::gaze_y};
  constexpr float ArmPose::*kArm[] = {&ArmPose::abduction, &ArmPose::flexion, &ArmPose::twist, &ArmPose::elbow,
                                      &ArmPose::wrist,     &ArmPose::roll,    &ArmPose::curl};
  constexpr float LegPose::*kLeg[] = {&LegPose::abduction, &LegPose::flexion, &LegPose::knee};
  for (const auto part : kParts) blend(a.*part, b.*part, t);
  for (size_t side = 0; side < 2; ++side) {
    for (const auto part : kArm) blend(a.arms[side].*part, b.arms[side].*part, t);
    for (const auto part : kLeg) blend(a.legs[side].*part, b.legs[side].*part, t);
  }
  return a;
}

}  // namespace

Pose Pose::of(uint32_t seed, double seconds, bool close) {
  constexpr double kPeriod = 2.2;  // seconds per pose; the transition takes the last 40 %
  // Seeds start at different times, so that a first frame can be between two poses.
  const double place = seconds / kPeriod + Random(seed, Stream::kPose, 1).unit();
  const double whole = std::floor(place);
  const auto index = static_cast<uint32_t>(static_cast<int64_t>(whole));
  const float way = smoothstep(0.6F, 1.0F, static_cast<float>(place - whole));
  Pose pose = blended(key_pose(seed, index, close), key_pose(seed, index + 1, close), way);

  const auto sway = [&](uint32_t part, float size, double rate) {
    return size * wander(seed, Stream::kPose, 100 + part, seconds, rate);
  };
  pose.lean += sway(0, 1.5F, 0.5) + 0.5F * std::sin(static_cast<float>(std::fmod(seconds * 1.6, 2.0 * kPi)));
  pose.tilt += sway(1, 1.2F, 0.5);
  pose.head_yaw = std::clamp(pose.head_yaw + sway(2, 4, 0.9), -60.0F, 60.0F);
  pose.head_pitch = std::clamp(pose.head_pitch + sway(3, 3, 0.9), -30.0F, 35.0F);
  pose.head_roll += sway(4, 2, 0.7);
  pose.blink = smoothstep(0.72F, 0.86F, wander(seed, Stream::kPose, 105, seconds, 3.0));
  pose.mouth = std::clamp(pose.mouth * (0.6F + sway(6, 0.4F, 5)), 0.0F, 1.0F);
  for (uint32_t side = 0; side < 2; ++side) {
    ArmPose& arm = pose.arms[side];
    arm.flexion += sway(10 + side, 2, 0.8);
    arm.elbow = std::clamp(arm.elbow + sway(12 + side, 4, 1.1), 0.0F, 150.0F);
    arm.wrist += sway(14 + side, 8, 1.3);
  }
  return pose;
}

}  // namespace sightglass::figure

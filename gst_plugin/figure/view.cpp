#include "figure/view.h"

namespace sightglass::figure {

View View::of(uint32_t seed, double seconds, Framing framing, const Body& body, float aspect) {
  Random random(seed, Stream::kCamera);
  View view;
  view.aspect = aspect;
  view.tangent = std::tan(radians(random.range(34, 60)) / 2);
  const Skeleton straight = Skeleton::of(body, Pose());
  Vec3 target = straight.head;
  float share = 0;  // of the frame height, for the head
  float x = random.normal(0, 0.17F) * aspect, y = 0;
  float azimuth = random.normal(0, 9), elevation = random.normal(1, 8);
  switch (framing) {
    case Framing::kSelfie:
      share = random.range(0.22F, 0.58F);
      y = random.normal(0.62F - share, 0.13F);
      break;
    case Framing::kHalf:
      share = random.range(0.13F, 0.22F);
      y = random.range(0.3F, 0.93F - share);
      azimuth *= 1.6F;
      break;
    case Framing::kFull:
      share = random.range(0.07F, 0.115F);
      target = straight.pelvis;
      y = random.normal(0.02F, 0.05F);
      azimuth *= 2;
      elevation = random.normal(4, 5);
      break;
  }
  // In portrait format, the share is of the frame width.
  share *= std::min(1.0F, 0.45F + 0.55F * aspect);
  const float distance = body.head / (share * view.tangent);
  const bool held = random.chance(0.45F);  // handheld
  const float shake = held ? random.range(0.3F, 1.2F) : 0.05F;
  const auto sway = [&](uint32_t part, double rate) {
    return shake * wander(seed, Stream::kCamera, part, seconds, rate);
  };
  const Mat3 place = rotate_y(azimuth + sway(1, 0.6) * 2) * rotate_x(-elevation + sway(2, 0.6) * 2);
  view.eye = target + place.z * (distance * (1 + 0.03F * sway(3, 0.4)));
  view.pan = {0.06F * sway(4, 0.8), 0.05F * sway(5, 0.8)};
  const float yaw = std::atan((x + view.pan[0]) * view.tangent), pitch = std::atan((y + view.pan[1]) * view.tangent);
  const float roll = random.normal(0, 2.2F) + sway(6, 0.5);
  // Rotates the camera so that the target is at (x, y).
  view.axes = place * rotate_y(yaw / radians(1)) * rotate_x(-pitch / radians(1)) * rotate_z(roll);
  return view;
}

std::array<Vec4, 4> View::clip_matrix() const {
  constexpr float kNear = 0.05F, kFar = 20;
  const float depth = (kFar + kNear) / (kNear - kFar), shift = 2 * kFar * kNear / (kNear - kFar);
  const auto column = [&](Vec3 v, float w) {
    const Vec3 seen = transposed(axes, v);
    return Vec4{seen.x / (tangent * aspect), -seen.y / tangent, seen.z * depth + w * shift, -seen.z};
  };
  return {column({1, 0, 0}, 0), column({0, 1, 0}, 0), column({0, 0, 1}, 0), column(eye * -1, 1)};
}

Vec3 View::project(Vec3 point) const {
  const Vec3 seen = transposed(axes, point - eye);
  const float distance = -seen.z;
  const float scale = 1 / (tangent * std::max(distance, 1e-3F));
  return {seen.x * scale, seen.y * scale, distance};
}

namespace {

struct Capsule {
  Vec3 a, b;
  float radius;
  int owner;  // it does not hide points of the same owner
};
enum Owner : uint8_t { kTorso, kHeadOwner, kArm0, kArm1, kForearm0, kForearm1, kLeg0, kLeg1, kNobody };

// Minimum distance between the segments.
float distance_between(Vec3 p, Vec3 q, Vec3 a, Vec3 b) {
  const Vec3 d = q - p, e = b - a, r = p - a;
  const float dd = dot(d, d), ee = std::max(dot(e, e), 1e-9F), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
  const float denominator = dd * ee - de * de;
  float s = denominator > 1e-9F ? std::clamp((de * er - dr * ee) / denominator, 0.0F, 1.0F) : 0;
  const float t = std::clamp((de * s + er) / ee, 0.0F, 1.0F);
  s = std::clamp((de * t - dr) / dd, 0.0F, 1.0F);
  return length(p + d * s - (a + e * t));
}

bool covers(const Card& card, float x, float y) {
  const float dx = x - card.place[0], dy = y - card.place[1];
  const float u = dx * card.turn[0] + dy * card.turn[1], v = dy * card.turn[0] - dx * card.turn[1];
  if (card.shape == static_cast<float>(Shape::kBox)) return std::abs(u) < card.place[2] && std::abs(v) < card.place[3];
  return (u * u) / (card.place[2] * card.place[2]) + (v * v) / (card.place[3] * card.place[3]) < 1;
}

}  // namespace

std::array<KeyPoint, kKeyPoints> key_points_of(const Body& body, const Skeleton& bones, const Appearance& appearance,
                                               const View& view, const std::vector<Card>& before) {
  std::vector<Capsule> capsules{{bones.pelvis, bones.neck - bones.chest_frame.y * 0.12F, 0.085F * body.girth, kTorso},
                                {bones.head - bones.head_frame.y * (body.head * 0.35F),
                                 bones.head + bones.head_frame.y * (body.head * 0.3F), body.head * 0.62F, kHeadOwner}};
  for (size_t side = 0; side < 2; ++side) {
    const int s = static_cast<int>(side);
    const Limb& arm = bones.arms[side];
    const Limb& leg = bones.legs[side];
    const Vec3 fingers = arm.joints[2] - arm.frames[2].y * (body.hand * 0.5F);
    capsules.push_back({arm.joints[0], arm.joints[1], 0.036F, kArm0 + s});
    capsules.push_back({arm.joints[1], fingers, 0.03F, kForearm0 + s});
    capsules.push_back({leg.joints[0], leg.joints[1], 0.055F, kLeg0 + s});
    capsules.push_back({leg.joints[1], leg.joints[2], 0.04F, kLeg0 + s});
  }
  std::array<KeyPoint, kKeyPoints> points;
  const auto put = [&](int index, Vec3 place, int owner, int other, Vec3 facing) {
    const Vec3 seen = view.project(place);
    KeyPoint& point = points[static_cast<size_t>(index)];
    point.x = 0.5F + 0.5F * seen.x / view.aspect;
    point.y = 0.5F - 0.5F * seen.y;
    if (seen.z < 0.05F || point.x < 0 || point.x >= 1 || point.y < 0 || point.y >= 1) return;
    point.visibility = Visibility::kVisible;
    const Vec3 to_eye = normalize(view.eye - place);
    bool hidden = dot(facing, facing) > 0 && dot(facing, to_eye) < 0.02F;
    for (const Capsule& capsule : capsules) {
      if (capsule.owner == owner || capsule.owner == other) continue;
      // Points are in the center of their limb, so objects closer than its surface hide nothing.
      hidden |= distance_between(place + to_eye * 0.06F, view.eye, capsule.a, capsule.b) < capsule.radius;
    }
    for (const Card& card : before) hidden |= covers(card, seen.x, seen.y);
    if (hidden) point.visibility = Visibility::kHidden;
  };
  const auto on_head = [&](int index, Vec3 local, Vec3 facing) {
    put(index, bones.head + bones.head_frame * (local * body.head), kHeadOwner, kHeadOwner, bones.head_frame * facing);
  };
  on_head(kNose, {0, -0.31F * appearance.nose_length, 0.93F}, {0, 0, 1});
  for (const int side : {0, 1}) {
    const float s = side_sign(static_cast<size_t>(side));
    on_head(kLeftEye + side, {s * 0.30F * appearance.eye_distance, -0.03F, 0.74F * body.head_depth},
            {s * 0.3F, 0, 0.95F});
    on_head(kLeftEar + side, {s * 0.68F * body.head_width, -0.13F, -0.1F}, {s, 0, 0.15F});
    if (appearance.headwear == Headwear::kHeadphones || appearance.headwear == Headwear::kScarf) {
      KeyPoint& ear = points[kLeftEar + static_cast<size_t>(side)];
      ear.visibility = std::min(ear.visibility, Visibility::kHidden);
    }
    const auto index = static_cast<size_t>(side);
    const auto& arm = bones.arms[index].joints;
    const auto& leg = bones.legs[index].joints;
    put(kLeftShoulder + side, arm[0], kTorso, kArm0 + side, {});
    put(kLeftElbow + side, arm[1], kForearm0 + side, kArm0 + side, {});
    put(kLeftWrist + side, arm[2], kForearm0 + side, kNobody, {});
    put(kLeftHip + side, leg[0], kTorso, kLeg0 + side, {});
    put(kLeftKnee + side, leg[1], kLeg0 + side, kNobody, {});
    put(kLeftAnkle + side, leg[2], kLeg0 + side, kNobody, {});
  }
  return points;
}

}  // namespace sightglass::figure

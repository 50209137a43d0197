#include "figure/scene.h"

#include <array>
#include <cstdint>

#include "figure/lofts.h"

namespace sightglass::figure {

// The camera in front of the figure, and the visibility of keypoints.
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

// `before` are the cards between figure and camera. The result keeps no reference.
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

namespace {

Vec4 vec4(Vec3 v, float w = 0) { return {v.x, v.y, v.z, w}; }

std::array<Vec4, 4> axes_of(const Mat3& frame, Vec3 origin, float unit) {
  return {vec4(frame.x, 1 / unit), vec4(frame.y), vec4(frame.z), vec4(origin)};
}

std::array<Vec4, 3> cloth(const Garment& garment, Vec4 more) {
  return {vec4(garment.a, static_cast<float>(garment.pattern)), vec4(garment.b, garment.scale), more};
}

Vec3 temperature(float warmth) {  // -1: shade; 1: candles
  return warmth > 0 ? mix(Vec3{1, 1, 1}, Vec3{1.15F, 0.92F, 0.66F}, warmth)
                    : mix(Vec3{1, 1, 1}, Vec3{0.85F, 0.97F, 1.18F}, -warmth);
}

void set_light(FigureBlock& block, CameraBlock& camera, uint32_t seed, double seconds, const View& view) {
  Random random(seed, Stream::kLight);
  const float azimuth = random.normal(0, 55) + 6 * wander(seed, Stream::kLight, 1, seconds, 0.2);
  const float height = random.range(0, 65);
  const Mat3 sun = rotate_y(azimuth) * rotate_x(-height);
  const float contrast = random.range(0.1F, 1);
  const float warmth = random.normal(0.1F, 0.4F);
  block.sun = vec4(view.axes * sun.z, random.range(0.0F, 0.5F));
  block.sun_color = vec4(temperature(warmth) * mix(0.35F, 1.2F, contrast));
  const Vec3 ambient =
      temperature(std::clamp(warmth * 0.4F + random.normal(0, 0.25F), -1.0F, 1.0F)) * mix(0.75F, 0.22F, contrast);
  block.sky = vec4(ambient * random.range(1, 1.25F));
  block.ground =
      vec4(mix(ambient, Vec3{ambient.x, ambient.y * 0.9F, ambient.z * 0.78F}, 0.5F) * random.range(0.35F, 0.8F));
  const Mat3 rim = rotate_y(random.range(110, 250)) * rotate_x(-random.range(0, 50));
  block.rim = vec4(view.axes * rim.z);
  block.rim_color = vec4(temperature(random.range(-1, 1)) * (random.chance(0.4F) ? random.range(0.2F, 1.2F) : 0));
  camera.wall = vec4(temperature(warmth * 0.6F) * random.range(0.45F, 1.15F));
  camera.spot = {random.range(-1, 1) * view.aspect, random.range(-0.6F, 1), random.range(0.8F, 2.5F),
                 random.range(0, 0.5F)};
}

void set_camera(CameraBlock& camera, uint32_t seed, double seconds, uint64_t frame, const View& view, float blur,
                int32_t height) {
  Random random(seed, Stream::kCamera, 1);
  const float exposure = std::exp(std::clamp(random.normal(0.22F, 0.25F), -0.6F, 0.8F)) *
                         (1 + 0.03F * wander(seed, Stream::kCamera, 9, seconds, 0.7));
  const Vec3 white = temperature(random.normal(0, 0.3F));
  camera.gain = vec4(white * exposure, random.range(0.88F, 1.2F));
  const float grain = random.chance(0.5F) ? random.range(0, 0.02F) : random.range(0.01F, 0.045F);
  const auto noise_seed =
      static_cast<float>(Random(seed, Stream::kCamera, 16 + static_cast<uint32_t>(frame)).bits() & 0xFFFFU);
  camera.noise = {grain, grain * random.range(0.2F, 0.8F), noise_seed, random.chance(0.4F) ? random.range(0, 0.5F) : 0};
  const float pixels = blur * 0.5F * static_cast<float>(height);
  camera.room = {view.aspect, pixels > 0.5F ? std::round(std::log2(pixels + 1)) : 0,
                 random.chance(0.4F) ? random.range(0, 1.2F) : 0, random.range(0.7F, 1.2F)};
}

void set_look(FigureBlock& block, const Appearance& appearance, const Body& body, const Pose& pose) {
  block.skin = vec4(appearance.skin);
  block.lips = vec4(appearance.lips);
  block.iris = vec4(appearance.iris);
  block.hair = vec4(appearance.hair);
  block.hair_tip = vec4(appearance.hair_tip);
  block.headwear = vec4(appearance.headwear_color, static_cast<float>(appearance.headwear));
  block.plastic = vec4(appearance.headphone_color);
  block.glasses = vec4(appearance.glasses_color, static_cast<float>(appearance.glasses));
  block.scarf = vec4(appearance.scarf_color);
  block.shoes = vec4(appearance.shoes);
  block.tie = vec4(appearance.tie_color, appearance.tie ? 1 : 0);
  block.print = vec4(appearance.shirt_print);
  block.shirt = cloth(appearance.shirt,
                      {static_cast<float>(appearance.neckline), appearance.neck_depth, body.shoulder, body.bust});
  block.coat =
      cloth(appearance.coat, {static_cast<float>(appearance.outer), 0.05F + 0.4F * appearance.neck_depth, 0, 0});
  block.trousers = cloth(appearance.trousers, {});
  block.face = {pose.blink, pose.mouth, pose.smile, pose.brows};
  block.gaze = {pose.gaze_x, pose.gaze_y, appearance.eye_size, appearance.eye_distance};
  block.features = {appearance.brow_weight, appearance.nose_length, appearance.lip_size, appearance.nose_width};
  block.marks = {appearance.freckles, appearance.stubble, appearance.beard, appearance.makeup};
  block.hair_shape = {appearance.hairline, appearance.volume, appearance.curl, appearance.fringe};
  block.hair_more = {appearance.parting, appearance.nape, static_cast<float>(appearance.style), appearance.wrinkles};
  block.face_mask = vec4(appearance.face_mask_color, appearance.face_mask ? 1 : 0);
}

Card card(float x, float y, float half_width, float half_height, Vec3 a, float corner) {
  Card made;
  made.place = {x, y, half_width, half_height};
  made.turn[2] = corner;
  made.a = a;
  made.b = a * 0.75F;
  made.detail = {5, 5, 1, 0.3F};
  return made;
}

// The shadow of the figure on a wall or the floor.
void set_shadows(Scene& scene, uint32_t seed, const View& view) {
  Random random(seed, Stream::kLight, 1);
  const auto shadow = [&](Vec3 place, float half_width, float half_height) {
    const Vec3 seen = view.project(place);
    const float metre = 1 / (view.tangent * std::max(seen.z, 0.2F));
    Card& dark = scene.behind.emplace_back(card(seen.x, seen.y, metre * half_width, metre * half_height, {}, 0));
    dark.shape = static_cast<float>(Shape::kGlow);
  };
  if (scene.framing == Framing::kFull) {
    if (!random.chance(0.7F)) return;
    for (const Limb& leg : scene.bones.legs) {
      const Vec3 foot = leg.joints[2];
      for (const float size : {0.3F, 0.45F}) shadow({foot.x, 0.0F, foot.z}, size, size * 0.3F);
    }
    return;
  }
  if (!random.chance(0.45F)) return;
  const float far = random.range(0.05F, 0.3F);  // meters to the side
  const Vec3 aside =
      view.axes.x *
          (dot(view.axes.x, {scene.figure.sun[0], scene.figure.sun[1], scene.figure.sun[2]}) > 0 ? -far : far) -
      view.axes.y * (0.3F * far);
  for (const float size : {0.22F, 0.3F}) {
    shadow(scene.bones.head + aside, size, size * 1.25F);
    shadow(scene.bones.chest + aside, size * 1.9F, size * 1.7F);
  }
}

// A chair back behind the figure; a desk edge, a cup or a microphone in front.
void set_things(Scene& scene, uint32_t seed, const View& view) {
  Random random(seed, Stream::kClutter);
  const Vec3 neck = view.project(scene.bones.neck);
  const float metre = 1 / (view.tangent * std::max(neck.z, 0.2F));
  if (random.chance(0.3F)) {
    const float w = metre * random.range(0.2F, 0.32F), h = metre * random.range(0.25F, 0.45F);
    const float top = metre * random.range(-0.15F, 0.12F);
    Card& back = scene.behind.emplace_back(card(neck.x + metre * random.normal(0, 0.04F), neck.y + top - h, w, h,
                                                random.chance(0.6F) ? Vec3{0.1F, 0.1F, 0.11F} : any_color(random),
                                                w * random.range(0.2F, 0.7F)));
    back.texture = static_cast<float>(random.chance(0.4F) ? Texture::kStripes : Texture::kPlain);
    back.detail[0] = random.range(8, 20);
    if (random.chance(0.3F)) {
      scene.behind.push_back(
          card(back.place[0], neck.y + metre * 0.12F, w * 0.6F, metre * 0.1F, back.a, metre * 0.07F));
    }
  }
  if (scene.framing == Framing::kFull) return;
  if (random.chance(0.06F)) {
    Card& desk = scene.before.emplace_back(
        card(0, -1 - 0.5F + random.range(0.04F, 0.28F), view.aspect * 1.2F, 0.5F, any_color(random), 0));
    desk.texture = static_cast<float>(random.chance(0.6F) ? Texture::kWood : Texture::kPlain);
    desk.turn[0] = std::cos(radians(2));
    desk.turn[1] = std::sin(radians(random.range(-3, 3)));
  }
  if (random.chance(0.07F)) {
    const float size = random.range(0.08F, 0.2F), x = random.range(-0.9F, 0.9F) * view.aspect;
    scene.before.push_back(card(x, -1 + size, size * 0.75F, size, any_color(random), size * 0.15F));
  }
  if (random.chance(0.08F)) {
    const float x = random.range(-0.7F, 0.7F) * view.aspect, y = random.range(-0.8F, -0.35F),
                size = random.range(0.07F, 0.15F);
    scene.before.push_back(card(x, y - 1, size * 0.15F, 1, {0.12F, 0.12F, 0.12F}, 0));
    scene.before.push_back(card(x, y, size * 0.6F, size, {0.1F, 0.1F, 0.11F}, size * 0.5F));
  }
  if (random.chance(0.06F)) {  // the lid of a laptop
    const float w = random.range(0.4F, 0.8F), h = random.range(0.15F, 0.4F);
    scene.before.push_back(card(random.range(-0.3F, 0.3F) * view.aspect, -1 + h * 0.4F, w, h,
                                random.chance(0.5F) ? Vec3{0.6F, 0.61F, 0.62F} : Vec3{0.12F, 0.12F, 0.13F}, 0.03F));
  }
}

}  // namespace

Scene Scene::at(const Moment& moment, float aspect, int32_t height) {
  const uint32_t seed = moment.seed;
  const double seconds = moment.seconds;
  Scene scene;
  Random random(seed, Stream::kBody, 1);
  scene.framing = moment.framing.value_or(static_cast<Framing>(random.pick({6.5F, 2, 1.5F})));
  scene.body = Body::of(seed);
  scene.appearance = Appearance::of(seed, scene.body);
  const bool fine = moment.detail == Detail::kFine;
  if (fine) scene.appearance.refine(seed);
  Pose pose = Pose::of(seed, seconds, scene.framing == Framing::kSelfie);
  pose.grounded = scene.framing == Framing::kFull;
  scene.bones = Skeleton::of(scene.body, pose);
  add_body(scene.lofts, scene.body, scene.bones, pose, scene.appearance);
  add_head(scene.lofts, scene.body, scene.bones, scene.appearance, seconds);
  if (fine) scene.strands = strands_of(scene.lofts, seed, scene.body, scene.appearance, seconds);

  const View view = View::of(seed, seconds, scene.framing, scene.body, aspect);
  scene.backdrop = Backdrop::of(seed, seconds, aspect, view.pan);
  set_light(scene.figure, scene.camera, seed, seconds, view);
  set_shadows(scene, seed, view);
  set_things(scene, seed, view);
  scene.key_points = key_points_of(scene.body, scene.bones, scene.appearance, view, scene.before);

  scene.figure.clip = view.clip_matrix();
  scene.figure.eye = vec4(view.eye);
  scene.figure.head = axes_of(scene.bones.head_frame, scene.bones.head, scene.body.head);
  scene.figure.chest = axes_of(scene.bones.chest_frame, scene.bones.neck, 1);
  set_look(scene.figure, scene.appearance, scene.body, pose);
  const auto pixels = static_cast<float>(height);
  scene.figure.fine = {scene.appearance.sleeve_opacity, scene.appearance.lens_opacity, pixels * aspect, pixels};
  set_camera(scene.camera, seed, seconds, moment.frame, view, scene.backdrop.blur, height);
  return scene;
}

}  // namespace sightglass::figure

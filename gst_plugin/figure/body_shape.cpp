#include "figure/lofts.h"

namespace sightglass::figure {

namespace {

struct TorsoRing {
  int part;  // 0: axes of the pelvis, 1: halfway, 2: axes of the chest
  float height, width, depth, forward, exponent;
};

void add_torso(Lofts& lofts, const Body& body, const Skeleton& bones, Material material, float thick) {
  const float g = body.girth, s = body.shoulder, h = body.hip, spine = body.spine;
  const float belly = std::max(0.0F, g - 1.05F) * 0.12F;
  const TorsoRing rings[] = {
      {0, -0.13F, h + 0.045F * g, 0.095F * g, -0.005F, 0.9F},
      {0, -0.03F, h + 0.060F * g, 0.112F * g, -0.01F, 0.9F},
      {0, 0.16F * spine, h + 0.05F * g, 0.103F * g + belly * 0.7F, belly, 0.9F},
      {1, 0.42F * spine, 0.36F * (h + s) + 0.026F * g, 0.090F * g + belly, 0.004F + belly, 0.9F},
      {2, 0.63F * spine, 0.78F * s, 0.104F * g + belly * 0.4F, 0.008F + body.bust * 0.012F, 0.85F},
      {2, 0.75F * spine, 0.87F * s, 0.109F * g + body.bust * 0.022F, 0.008F + body.bust * 0.022F, 0.8F},
      {2, 0.85F * spine, 0.96F * s, 0.096F * g, 0.0F, 0.8F},
      {2, 0.905F * spine, 0.95F * s, 0.074F * g, -0.012F, 0.85F},
      {2, 0.945F * spine, 0.78F * s, 0.062F * g, -0.016F, 0.9F},
      {2, 0.98F * spine, 0.50F * s, 0.060F * g, -0.016F, 0.95F},
      {2, 1.02F * spine, 0.066F * g, 0.060F * g, -0.012F, 1},
      {2, 1.04F * spine, 0.054F * g, 0.054F * g, -0.008F, 1},
  };
  lofts.begin(Lofts::kTorso);
  for (const TorsoRing& ring : rings) {
    const Mat3 frame = ring.part == 0   ? bones.pelvis_frame
                       : ring.part == 2 ? bones.chest_frame
                                        : Mat3{normalize(bones.pelvis_frame.x + bones.chest_frame.x),
                                               normalize(bones.pelvis_frame.y + bones.chest_frame.y),
                                               normalize(bones.pelvis_frame.z + bones.chest_frame.z)};
    const Vec3 base = ring.part == 2   ? bones.chest + bones.chest_frame.y * (ring.height - 0.55F * spine)
                      : ring.part == 0 ? bones.pelvis + bones.pelvis_frame.y * ring.height
                                       : mix(bones.pelvis, bones.chest, ring.height / (0.55F * spine));
    const float loose =
        thick * (1 + 3 * smoothstep(0.65F, 0.2F, ring.height / spine)) * smoothstep(1.05F, 0.96F, ring.height / spine);
    lofts.ring(base + frame.z * ring.forward, frame.x * (ring.width + loose), frame.z * (ring.depth + loose), material,
               ring.exponent);
  }
  lofts.end();
}

struct Tube {
  Vec3 center;
  Mat3 frame;
  float width, depth;
};

// A cross section of the arm: `place` is 0 at the shoulder, 1 at the elbow, 2 at the wrist.
Tube arm_at(const Body& body, const Limb& arm, float place) {
  struct Measure {
    float place, width, depth;
  };
  static constexpr Measure kMeasures[] = {{-0.1F, 0.030F, 0.030F}, {0, 0.050F, 0.052F},     {0.25F, 0.052F, 0.054F},
                                          {0.6F, 0.045F, 0.048F},  {0.95F, 0.039F, 0.04F},  {1.2F, 0.043F, 0.042F},
                                          {1.6F, 0.034F, 0.033F},  {1.95F, 0.024F, 0.029F}, {2.05F, 0.023F, 0.029F}};
  size_t i = 1;
  while (i + 1 < std::size(kMeasures) && kMeasures[i].place < place) ++i;
  const Measure& a = kMeasures[i - 1];
  const Measure& b = kMeasures[i];
  const float t = std::clamp((place - a.place) / (b.place - a.place), 0.0F, 1.0F);
  const float g = mix(1, body.girth, place < 1.5F ? 0.9F : 0.4F) * (body.bust > 0.18F ? 0.88F : 1.02F);
  // Near the elbow, the axes are interpolated between both parts.
  const float bend = smoothstep(0.82F, 1.18F, place);
  const Mat3& upper = arm.frames[0];
  const Mat3& lower = arm.frames[1];
  const Vec3 along = place < 1 ? arm.joints[0] + (arm.joints[1] - arm.joints[0]) * place
                               : arm.joints[1] + (arm.joints[2] - arm.joints[1]) * (place - 1);
  return {along,
          {upper.x, normalize(mix(upper.y, lower.y, bend)), normalize(mix(upper.z, lower.z, bend))},
          mix(a.width, b.width, t) * g,
          mix(a.depth, b.depth, t) * g};
}

void add_arm_tube(Lofts& lofts, Lofts::List list, const Body& body, const Limb& arm, float from, float to, float thick,
                  Material material) {
  static constexpr float kPlaces[] = {-0.09F, 0, 0.2F, 0.5F, 0.78F, 0.9F, 1, 1.1F, 1.22F, 1.5F, 1.8F, 2.05F};
  lofts.begin(list);
  const auto add = [&](float place) {
    const Tube tube = arm_at(body, arm, place);
    const float ease = thick * (place < 0.1F ? 0.35F : 1.0F) * (1 + 0.5F * smoothstep(1.0F, 1.6F, place));
    lofts.ring(tube.center, tube.frame.x * (tube.width + ease), tube.frame.z * (tube.depth + ease), material);
  };
  if (from < 0) {  // the rounded shoulder
    const Tube tube = arm_at(body, arm, -0.125F);
    lofts.ring(tube.center, tube.frame.x * 0.004F, tube.frame.z * 0.004F, material);
  }
  if (from > 0) add(from);
  for (const float place : kPlaces) {
    if (place > from + 0.04F && place < to - 0.04F) add(place);
  }
  add(to);
  lofts.end();
}

// A rounded shoulder, between the chest and the arm in any direction.
void add_shoulder(Lofts& lofts, Lofts::List list, const Body& body, const Skeleton& bones, size_t side, float thick,
                  Material material) {
  const float s = side_sign(side);
  const Vec3 joint = bones.arms[side].joints[0];
  const Vec3 inside = mix(joint, bones.neck - bones.chest_frame.y * (0.11F * body.spine), 0.5F);
  const float radius = arm_at(body, bones.arms[side], 0.05F).width + 0.8F * thick;
  const Mat3& frame = bones.chest_frame;
  lofts.begin(list);
  const auto ring = [&](Vec3 center, float size) {
    lofts.ring(center, frame.y * (radius * size), frame.z * (radius * size), material);
  };
  ring(inside, 1.0F);
  ring(mix(inside, joint, 0.6F), 1.06F);
  ring(joint, 1.0F);
  ring(joint + frame.x * (s * radius * 0.55F), 0.8F);
  ring(joint + frame.x * (s * radius * 0.9F), 0.4F);
  ring(joint + frame.x * (s * radius), 0.05F);
  lofts.end();
}

void add_finger(Lofts& lofts, Vec3 base, Mat3 frame, float side, float curl, float length, float radius) {
  lofts.begin(Lofts::kHands);
  const float parts[] = {0.44F, 0.32F, 0.24F};
  lofts.ring(base, frame.x * radius, frame.z * radius, Material::kSkin);
  for (size_t i = 0; i < 3; ++i) {
    frame = frame * rotate_z(-side * curl * (i == 1 ? 1.15F : 0.85F));
    base = base + frame.y * (-length * parts[i]);
    radius *= 0.93F;
    const float end = i == 2 ? 0.75F : 1;
    lofts.ring(base, frame.x * (radius * end), frame.z * (radius * end), Material::kSkin);
  }
  lofts.ring(base - frame.y * (radius * 0.6F), frame.x * 0.001F, frame.z * 0.001F, Material::kSkin);
  lofts.end();
}

void add_hand(Lofts& lofts, const Body& body, const Limb& arm, const ArmPose& pose, float side) {
  const Mat3& frame = arm.frames[2];
  const float size = body.hand / 0.18F * (body.bust > 0.18F ? 0.92F : 1.03F);
  const Vec3 wrist = arm.joints[2];
  const auto at = [&](float x, float y, float z) { return wrist + frame * (Vec3{side * x, y, z} * size); };
  lofts.begin(Lofts::kHands);
  const auto ring = [&](float y, float thick, float wide, float z) {
    lofts.ring(at(0, y, z), frame.x * (thick * size), frame.z * (wide * size), Material::kSkin, 0.85F);
  };
  ring(0.012F, 0.022F, 0.027F, 0);
  ring(-0.018F, 0.019F, 0.031F, 0.002F);
  ring(-0.05F, 0.018F, 0.040F, 0.003F);
  ring(-0.08F, 0.014F, 0.042F, 0);
  ring(-0.096F, 0.008F, 0.038F, 0);
  lofts.end();
  static constexpr float kLengths[] = {0.068F, 0.078F, 0.073F, 0.056F};
  for (int i = 0; i < 4; ++i) {
    const float z = 0.031F - 0.0205F * static_cast<float>(i);
    const Mat3 spread = frame * rotate_x(-z * 260);
    add_finger(lofts, at(0, -0.088F - (i == 0 || i == 3 ? -0.006F : 0), z), spread, side,
               pose.curl * (1 + 0.12F * static_cast<float>(i)), kLengths[i] * size, 0.0098F * size);
  }
  const Mat3 thumb = frame * rotate_x(-38) * rotate_y(-side * 30);
  add_finger(lofts, at(-0.006F, -0.03F, 0.032F), thumb, side, pose.curl * 0.4F + 8, 0.082F * size, 0.0125F * size);
}

void add_leg(Lofts& lofts, const Body& body, const Limb& leg, const Appearance& appearance, float side) {
  const float g = body.girth;
  const bool shorts = appearance.bare_legs;
  static constexpr struct {
    float place, radius;
  } kRings[] = {{-0.02F, 0.088F}, {0.2F, 0.086F},  {0.6F, 0.068F}, {0.88F, 0.056F}, {1, 0.056F},
                {1.12F, 0.054F},  {1.35F, 0.056F}, {1.7F, 0.042F}, {1.93F, 0.036F}, {2.03F, 0.037F}};
  const auto tube = [&](float place, float radius, float ease, Material material) {
    const float bend = smoothstep(0.8F, 1.2F, place);
    const Vec3 center =
        place < 1 ? mix(leg.joints[0], leg.joints[1], place) : mix(leg.joints[1], leg.joints[2], place - 1);
    const Vec3 z = normalize(mix(leg.frames[0].z, leg.frames[1].z, bend));
    lofts.ring(center, leg.frames[0].x * (radius * g + ease), z * (radius * g * 1.04F + ease), material);
  };
  if (appearance.skirt || shorts) {
    lofts.begin(Lofts::kHands);
    for (const auto& ring : kRings) tube(ring.place, ring.radius, 0, Material::kSkin);
    lofts.end();
  }
  if (!appearance.skirt) {
    lofts.begin(Lofts::kTrousers);
    const float last = shorts ? 0.75F : 1.97F;
    for (const auto& ring : kRings) {
      if (ring.place < last)
        tube(ring.place, ring.radius, 0.012F + 0.012F * std::max(0.0F, ring.place - 1), Material::kTrousers);
    }
    tube(last, shorts ? 0.068F : 0.037F, 0.022F, Material::kTrousers);
    lofts.end();
  }
  const Mat3& frame = leg.frames[2];
  const Vec3 ankle = leg.joints[2];
  const auto shoe = [&](float z, float y, float wide, float high) {
    lofts.ring(ankle + frame * Vec3{side * 0.006F * z / 0.1F, y, z}, frame.x * wide, frame.y * high, Material::kShoes,
               0.85F);
  };
  const float f = body.foot / 0.24F;
  lofts.begin(Lofts::kHard);
  shoe(-0.062F * f, -0.035F, 0.012F, 0.015F);
  shoe(-0.045F * f, -0.03F, 0.034F, 0.044F);
  shoe(0.01F * f, -0.02F, 0.04F, 0.056F);
  shoe(0.08F * f, -0.044F, 0.045F, 0.034F);
  shoe(0.14F * f, -0.052F, 0.042F, 0.024F);
  shoe(0.18F * f, -0.056F, 0.012F, 0.01F);
  lofts.end();
}

void add_skirt(Lofts& lofts, const Body& body, const Skeleton& bones) {
  const Vec3 knees = mix(bones.legs[0].joints[1], bones.legs[1].joints[1], 0.5F);
  const Vec3 down = normalize(knees - bones.pelvis) * (body.thigh * 0.95F);
  const Vec3 x = bones.pelvis_frame.x, z = normalize(cross(x, down * -1));
  const Vec3 between = bones.legs[0].joints[1] - bones.legs[1].joints[1];
  const float apart = 0.5F * std::abs(dot(between, x)), stride = 0.35F * std::abs(dot(between, z));
  lofts.begin(Lofts::kCloth);
  lofts.ring(bones.pelvis + bones.pelvis_frame.y * 0.1F, x * (body.hip + 0.055F), z * 0.11F * body.girth,
             Material::kTrousers);
  lofts.ring(bones.pelvis + down * 0.1F, x * (body.hip + 0.09F), z * 0.135F * body.girth, Material::kTrousers);
  lofts.ring(bones.pelvis + down * 0.5F, x * (0.5F * (apart + body.hip) + 0.115F), z * (0.16F + 0.5F * stride),
             Material::kTrousers);
  lofts.ring(bones.pelvis + down, x * (apart + 0.11F), z * (0.2F + stride), Material::kTrousers);
  lofts.end();
}

void add_neck(Lofts& lofts, const Body& body, const Skeleton& bones, const Appearance& appearance) {
  const float radius = (body.bust > 0.18F ? 0.048F : 0.057F) * mix(1, body.girth, 0.6F);
  const Vec3 low = bones.neck,
             high = bones.head - bones.head_frame.y * (body.head * 0.35F) - bones.head_frame.z * (body.head * 0.14F);
  lofts.begin(Lofts::kNeckAndArms);
  lofts.ring(low - bones.chest_frame.y * 0.05F, bones.chest_frame.x * (radius * 1.5F),
             bones.chest_frame.z * (radius * 1.2F), Material::kNeck);
  lofts.ring(low + bones.chest_frame.y * 0.005F, bones.chest_frame.x * (radius * 1.18F),
             bones.chest_frame.z * (radius * 1.1F), Material::kNeck);
  lofts.ring(mix(low, high, 0.45F), bones.neck_frame.x * radius, bones.neck_frame.z * (radius * 1.03F),
             Material::kNeck);
  lofts.ring(high, bones.head_frame.x * (radius * 1.02F), bones.head_frame.z * (radius * 1.1F), Material::kNeck);
  lofts.end();

  // A band of cloth around the neck, from `from` to `to` along it, widening by `flare`.
  const auto band = [&](float from, float to, float inner, float flare, float forward, Material material) {
    lofts.begin(Lofts::kCloth);
    const Vec3 tilt = bones.chest_frame.z * forward;
    for (int i = 0; i < 3; ++i) {
      const float t = static_cast<float>(i) * 0.5F;
      const float bulge = material == Material::kScarf ? 0.022F * (1 - std::abs(2 * t - 1)) : 0;
      const float r = radius * inner + flare * (1 - t) + bulge;
      const Vec3 center = mix(low, high, mix(from, to, t)) + tilt * (1 - t);
      lofts.ring(center, normalize(bones.neck_frame.x) * (r * 1.06F),
                 normalize(bones.neck_frame.z + bones.neck_frame.y * 0.25F) * r, material);
    }
    lofts.end();
  };
  if (appearance.neckline == Neckline::kTurtle) band(-0.25F, 0.58F, 1.14F, 0.02F, 0, Material::kTurtle);
  if (appearance.neckline == Neckline::kCollar) band(-0.32F, 0.24F, 1.14F, 0.034F, 0.016F, Material::kCollar);
  if (appearance.neckline == Neckline::kHood) {
    band(-0.45F, 0.28F, 1.42F, 0.045F, 0.0F, Material::kTurtle);
  }
  if (appearance.neck_scarf) band(-0.5F, 0.5F, 1.3F, 0.03F, 0.012F, Material::kScarf);
}

}  // namespace

void add_body(Lofts& lofts, const Body& body, const Skeleton& bones, const Pose& pose, const Appearance& appearance) {
  const bool coat = appearance.outer != Outer::kNone;
  // The outer one first: it hides most of the inner one.
  if (coat) add_torso(lofts, body, bones, Material::kCoat, appearance.shirt.thickness + appearance.coat.thickness);
  add_torso(lofts, body, bones, Material::kShirt, appearance.shirt.thickness);
  add_neck(lofts, body, bones, appearance);
  for (size_t side = 0; side < 2; ++side) {
    const float s = side_sign(side);
    const float sleeve = coat ? appearance.coat.sleeve : appearance.shirt.sleeve;
    const float ease = appearance.shirt.thickness + (coat ? appearance.coat.thickness : 0);
    const bool sheer = appearance.sleeve_opacity<1, hidden = sleeve> 0.3F && !sheer;
    const Limb& arm = bones.arms[side];
    add_arm_tube(lofts, Lofts::kNeckAndArms, body, arm, hidden ? sleeve - 0.2F : -1, 2.05F, 0, Material::kSkin);
    if (sleeve <= 0 || sheer) add_shoulder(lofts, Lofts::kNeckAndArms, body, bones, side, 0, Material::kSkin);
    if (sleeve > 0) {
      const Material material = coat ? Material::kCoatSleeve : Material::kSleeve;
      const Lofts::List list = sheer ? Lofts::kSheer : Lofts::kCloth;
      add_arm_tube(lofts, list, body, arm, -1, sleeve, ease, material);
      add_shoulder(lofts, list, body, bones, side, ease, material);
    }
    add_hand(lofts, body, bones.arms[side], pose.arms[side], s);
    add_leg(lofts, body, bones.legs[side], appearance, s);
  }
  if (appearance.skirt) add_skirt(lofts, body, bones);
}

}  // namespace sightglass::figure

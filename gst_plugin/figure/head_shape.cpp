#include "figure/lofts.h"

namespace sightglass::figure {

namespace {

// In half heads, relative to the midpoint of chin and crown.
struct HeadRing {
  float y, width, z, depth, exponent;
};
constexpr HeadRing kHead[] = {
    {-1.0F, 0.10F, 0.44F, 0.10F, 1},      {-0.97F, 0.22F, 0.40F, 0.22F, 1},      {-0.84F, 0.37F, 0.24F, 0.43F, 0.95F},
    {-0.6F, 0.50F, 0.09F, 0.61F, 0.9F},   {-0.35F, 0.59F, 0.01F, 0.72F, 0.88F},  {-0.05F, 0.645F, -0.03F, 0.79F, 0.88F},
    {0.25F, 0.675F, -0.06F, 0.83F, 0.9F}, {0.52F, 0.655F, -0.08F, 0.82F, 0.92F}, {0.76F, 0.545F, -0.09F, 0.69F, 0.95F},
    {0.92F, 0.36F, -0.1F, 0.46F, 1},      {0.985F, 0.17F, -0.1F, 0.22F, 1},      {1.0F, 0.005F, -0.1F, 0.005F, 1}};

class HeadBuilder {
 public:
  HeadBuilder(Lofts& lofts, const Body& body, const Skeleton& bones, const Appearance& appearance, double seconds)
      : lofts_(lofts), body_(body), bones_(bones), appearance_(appearance), seconds_(seconds), h_(body.head) {}

  void build() {
    skull(Material::kHead, 0, -2);
    nose();
    ears();
    const bool covered = appearance_.headwear == Headwear::kScarf;
    if (!covered) hair();
    if (appearance_.headwear == Headwear::kHeadphones) headphones();
    if (appearance_.headwear == Headwear::kCap || appearance_.headwear == Headwear::kBeanie) hat();
    if (covered) scarf();
    if (appearance_.glasses != Glasses::kNone) glasses();
  }

 private:
  Vec3 at(float x, float y, float z) const { return bones_.head + bones_.head_frame * (Vec3{x, y, z} * h_); }
  Vec3 along(float x, float y, float z) const { return bones_.head_frame * (Vec3{x, y, z} * h_); }

  float jaw(float y) const { return mix(body_.jaw, 1, smoothstep(-0.9F, -0.1F, y)) * body_.head_width; }

  void skull(Material material, float thick, float from) {
    lofts_.begin(material == Material::kHead    ? Lofts::kFace
                 : material == Material::kScalp ? Lofts::kHair
                                                : Lofts::kCloth);
    for (const HeadRing& ring : kHead) {
      if (ring.y < from) continue;
      const float more = thick * std::min(1.0F, ring.width / 0.1F);
      lofts_.ring(at(0, ring.y + thick * std::max(0.0F, ring.y), ring.z), along(ring.width * jaw(ring.y) + more, 0, 0),
                  along(0, 0, ring.depth * body_.head_depth + more), material, ring.exponent);
    }
    lofts_.end();
  }

  void nose() {
    const float w = appearance_.nose_width, l = appearance_.nose_length;
    static constexpr HeadRing kNose[] = {{0.12F, 0.05F, 0.66F, 0.09F, 1},     {-0.02F, 0.075F, 0.70F, 0.115F, 1},
                                         {-0.18F, 0.095F, 0.73F, 0.17F, 1},   {-0.30F, 0.13F, 0.74F, 0.215F, 1},
                                         {-0.365F, 0.155F, 0.73F, 0.185F, 1}, {-0.41F, 0.10F, 0.70F, 0.09F, 1},
                                         {-0.42F, 0.02F, 0.68F, 0.04F, 1}};
    lofts_.begin(Lofts::kFace);
    for (const HeadRing& ring : kNose) {
      lofts_.ring(at(0, ring.y * (ring.y < 0 ? l : 1), ring.z * body_.head_depth - 0.02F), along(ring.width * w, 0, 0),
                  along(0, 0, ring.depth * mix(1, l, 0.7F)), Material::kNose);
    }
    lofts_.end();
  }

  void ears() {
    for (const float s : {1.0F, -1.0F}) {
      lofts_.begin(Lofts::kHands);
      const auto ring = [&](float x, float size) {
        const float w = body_.head_width;
        lofts_.ring(at(s * x * w, -0.13F, -0.08F - (x - 0.6F) * 0.6F),
                    along(s * 0.06F * size, 0.235F * size, -0.03F * size), along(0, 0.03F * size, 0.125F * size),
                    Material::kNeck);
      };
      ring(0.55F, 0.85F);
      ring(0.66F, 1);
      ring(0.72F, 1.05F);
      ring(0.745F, 0.9F);
      ring(0.73F, 0.4F);
      ring(0.70F, 0.05F);
      lofts_.end();
    }
  }

  void hair() {
    if (appearance_.style == HairStyle::kBald || appearance_.style == HairStyle::kBuzz) return;
    skull(Material::kScalp, appearance_.volume, -0.7F);
    switch (appearance_.style) {
      case HairStyle::kBob:
      case HairStyle::kLong:
      case HairStyle::kWavy:
      case HairStyle::kCurls:
        if (appearance_.length > 0) hanging();
        break;
      case HairStyle::kPonytail:
        tail();
        break;
      case HairStyle::kBun:
        ball(at(0, Random(0, Stream::kHair).range(0.5F, 0.6F) + 0.3F * appearance_.hairline, -0.72F), 0.34F * h_,
             Material::kHair);
        break;
      default:
        break;
    }
  }

  void ball(Vec3 center, float radius, Material material) {
    lofts_.begin(material == Material::kHair ? Lofts::kLocks : Lofts::kTrousers);
    for (int i = 0; i <= 6; ++i) {
      const float angle = kPi * static_cast<float>(i) / 6;
      const float r = std::max(0.01F, std::sin(angle)) * radius;
      lofts_.ring(center - bones_.head_frame.y * (radius * std::cos(angle)), bones_.head_frame.x * r,
                  bones_.head_frame.z * r, material);
    }
    lofts_.end();
  }

  // Hair that hangs behind the face and, if it is long enough, in front of the shoulders.
  void hanging() {
    const Mat3& chest = bones_.chest_frame;
    const Vec3 down = normalize(bones_.head_frame.y * 0.3F + chest.y * 0.4F + Vec3{0, 1, 0}) * -1.0F;
    const float v = appearance_.volume;
    const auto swing = [&](uint32_t part) { return 0.012F * wander(7, Stream::kHair, part, seconds_, 0.8); };
    lofts_.begin(Lofts::kHair);
    lofts_.ring(at(0, 0.55F, -0.30F), along(0.45F, 0, 0), along(0, 0, 0.4F), Material::kHair);
    lofts_.ring(at(0, 0.2F, -0.34F), along(0.66F + v, 0, 0), along(0, 0, 0.55F), Material::kHair);
    lofts_.ring(at(0, -0.3F, -0.38F), along(0.70F + v, 0, 0), along(0, 0, 0.50F), Material::kHair);
    const Vec3 nape = at(0, -0.75F, -0.42F);
    lofts_.ring(nape, along(0.72F + v, 0, 0), along(0, 0, 0.42F), Material::kHair);
    const float rest = appearance_.length;
    for (int i = 1; i <= 3; ++i) {
      const float t = static_cast<float>(i) / 3;
      const Vec3 back = chest.z * (-0.05F * smoothstep(0, 0.1F, rest * t));
      lofts_.ring(nape + down * (rest * t) + back + chest.x * swing(1),
                  chest.x * (h_ * (0.78F + v) * mix(1, 0.8F, t * t)), chest.z * (h_ * mix(0.40F, 0.22F, t)),
                  Material::kHair);
    }
    lofts_.end();
    if (!appearance_.in_front || rest < 0.06F) return;
    for (const float s : {1.0F, -1.0F}) {
      lofts_.begin(Lofts::kLocks);
      lofts_.ring(at(s * 0.4F, 0.62F, 0.05F), along(0.14F, 0, 0), along(0, 0, 0.3F), Material::kHair);
      lofts_.ring(at(s * (0.68F + v * 0.5F), 0.1F, -0.05F), along(0.10F + v * 0.3F, 0, 0), along(0, 0, 0.28F),
                  Material::kHair);
      lofts_.ring(at(s * (0.72F + v * 0.5F), -0.5F, -0.02F), along(0.12F + v * 0.3F, 0, 0), along(0, 0, 0.26F),
                  Material::kHair);
      const Vec3 jaw_side = at(s * (0.74F + v * 0.5F), -0.95F, 0.08F);
      lofts_.ring(jaw_side, along(0.15F, 0, 0), along(0, 0, 0.24F), Material::kHair);
      for (int i = 1; i <= 2; ++i) {
        const float t = static_cast<float>(i) / 2;
        const Vec3 front = chest.z * (0.07F * t + 0.02F) + chest.x * (s * (0.012F * t + swing(2)));
        lofts_.ring(jaw_side + down * (rest * 0.85F * t) + front, chest.x * (h_ * mix(0.26F, 0.12F, t)),
                    chest.z * (h_ * mix(0.22F, 0.12F, t)), Material::kHair);
      }
      lofts_.end();
    }
  }

  void tail() {
    const bool high = appearance_.parting > 0;
    const Vec3 root = at(0, high ? 0.55F : 0.05F, -0.85F);
    const float aside = appearance_.in_front ? 0.09F * (appearance_.parting > 0 ? 1.0F : -1.0F) : 0.0F;
    lofts_.begin(Lofts::kLocks);
    lofts_.ring(at(0, high ? 0.5F : 0.05F, -0.7F), along(0.1F, 0, 0), along(0, 0.1F, 0), Material::kHair);
    lofts_.ring(root, along(0.12F, 0, 0), along(0, 0.12F, 0), Material::kHair);
    for (int i = 1; i <= 3; ++i) {
      const float t = static_cast<float>(i) / 3;
      const float swing = 0.02F * t * wander(7, Stream::kHair, 3, seconds_, 0.9);
      const Vec3 center = root + Vec3{0, -appearance_.length * t, 0} -
                          bones_.chest_frame.z * (0.05F * std::sin(t * 3)) + bones_.head_frame.x * (aside * t + swing);
      lofts_.ring(center, along(mix(0.24F, 0.1F, t), 0, 0), bones_.chest_frame.z * (h_ * mix(0.24F, 0.08F, t)),
                  Material::kHair);
    }
    lofts_.end();
  }

  // A rod along points on an arc, with a flat or round cross section.
  template <typename Point>
  void rod(int count, Point point, Vec3 across, float width, float thick, Material material) {
    lofts_.begin(Lofts::kHard);
    for (int i = 0; i < count; ++i) {
      const Vec3 here = point(i), ahead = point(i + 1) - point(i - 1);
      const Vec3 out = normalize(cross(ahead, across));
      lofts_.ring(here, across * width, out * thick, material);
    }
    lofts_.end();
  }

  void headphones() {
    const float r = appearance_.style == HairStyle::kBald ? 0.0F : appearance_.volume;
    const Vec3 across = bones_.head_frame.z;
    rod(
        9,
        [&](int i) {
          const float angle = kPi * (static_cast<float>(i) / 8);
          return at((0.76F + r) * body_.head_width * std::cos(angle), -0.05F + (1.12F + r) * std::sin(angle), -0.08F);
        },
        across, h_ * 0.11F, h_ * 0.05F, Material::kPlastic);
    for (const float s : {1.0F, -1.0F}) {
      lofts_.begin(Lofts::kHard);
      const auto ring = [&](float x, float size) {
        lofts_.ring(at(s * (x + r * 0.5F) * body_.head_width, -0.12F, -0.06F), along(0, 0.36F * size, 0),
                    along(0, 0, 0.30F * size), Material::kPlastic);
      };
      ring(0.60F, 0.6F);
      ring(0.68F, 1);
      ring(0.86F, 1);
      ring(0.92F, 0.8F);
      ring(0.93F, 0.02F);
      lofts_.end();
    }
  }

  void hat() {
    const bool cap = appearance_.headwear == Headwear::kCap;
    const float thick = 0.06F + (appearance_.style == HairStyle::kBald ? 0 : std::min(appearance_.volume, 0.1F) * 0.7F);
    lofts_.begin(Lofts::kCloth);
    const float brim = cap ? 0.42F : 0.32F;
    const auto ring = [&](float y, float width, float z, float depth) {
      lofts_.ring(at(0, y, z), along((width + thick) * body_.head_width, 0, 0), along(0, 0.10F * depth, depth + thick),
                  Material::kHeadwear);
    };
    ring(brim, 0.665F, -0.07F, 0.83F);
    ring(brim + 0.16F, 0.67F, -0.08F, 0.83F);
    ring(0.8F, 0.57F, -0.09F, 0.72F);
    ring(1.0F, 0.36F, -0.1F, 0.46F);
    ring(cap ? 1.07F : 1.14F, 0.1F, -0.1F, 0.12F);
    lofts_.ring(at(0, cap ? 1.08F : 1.17F, -0.1F), along(0.004F, 0, 0), along(0, 0, 0.004F), Material::kHeadwear);
    lofts_.end();
    if (cap) {
      lofts_.begin(Lofts::kTrousers);
      const auto peak = [&](float z, float width, float y) {
        lofts_.ring(at(0, y, z), along(width, 0, 0), along(0, 0.022F, 0), Material::kHeadwear);
      };
      peak(0.55F, 0.62F, brim + 0.06F);
      peak(0.85F, 0.60F, brim + 0.05F);
      peak(1.15F, 0.50F, brim - 0.01F);
      peak(1.32F, 0.32F, brim - 0.05F);
      peak(1.38F, 0.02F, brim - 0.06F);
      lofts_.end();
    } else if (appearance_.parting > 0.3F) {
      ball(at(0, 1.28F, -0.1F), h_ * 0.22F, Material::kScarf);
    }
  }

  // A cloth over head and neck that leaves the face open.
  void scarf() {
    skull(Material::kHeadwear, 0.09F, -0.9F);
    const Mat3& chest = bones_.chest_frame;
    lofts_.begin(Lofts::kCloth);
    lofts_.ring(at(0, -0.55F, -0.12F), along(0.62F, 0, 0), along(0, -0.2F, 0.68F), Material::kScarf);
    lofts_.ring(at(0, -0.95F, -0.08F), along(0.60F, 0, 0), along(0, -0.1F, 0.60F), Material::kScarf);
    lofts_.ring(bones_.neck + chest.y * 0.01F, chest.x * (h_ * 0.72F), chest.z * (h_ * 0.72F), Material::kScarf);
    lofts_.ring(bones_.neck - chest.y * 0.06F, chest.x * (body_.shoulder * 0.85F), chest.z * (h_ * 1.0F),
                Material::kScarf);
    lofts_.ring(bones_.neck - chest.y * 0.13F, chest.x * (body_.shoulder * 1.05F), chest.z * (h_ * 1.12F),
                Material::kScarf);
    lofts_.end();
  }

  void glasses() {
    const bool thick = appearance_.glasses != Glasses::kThin;
    const float line = h_ * (thick ? 0.030F : 0.014F);
    const float z = 0.90F * body_.head_depth, d = 0.30F * appearance_.eye_distance;
    for (const float s : {1.0F, -1.0F}) {
      const auto rim = [&](int i) {
        const float angle = 2 * kPi * static_cast<float>(i) / 10;
        const float c = std::cos(angle), n = std::sin(angle);
        const float x = d + 0.225F * std::copysign(std::pow(std::abs(c), 0.8F), c);
        return at(s * x, -0.03F + 0.165F * std::copysign(std::pow(std::abs(n), 0.8F), n),
                  z - 0.25F * std::max(0.0F, x - 0.3F));
      };
      rod(11, rim, bones_.head_frame.z, line * 0.7F, line, Material::kGlasses);
      rod(
          2,
          [&](int i) {
            return at(s * (0.52F + 0.15F * static_cast<float>(i)), 0.03F, z - 0.08F - 0.75F * static_cast<float>(i));
          },
          bones_.head_frame.y, line, line * 0.6F, Material::kGlasses);
      const bool sheer = appearance_.lens_opacity > 0;
      if (sheer || appearance_.glasses == Glasses::kDark) {
        lofts_.begin(sheer ? Lofts::kLenses : Lofts::kHard);
        for (const float size : {0.02F, 1.0F}) {
          lofts_.ring(at(s * d, -0.03F, z - 0.02F), along(0.22F * size, 0, -s * 0.04F * size),
                      along(0, 0.16F * size, 0), Material::kLens, 0.85F);
        }
        lofts_.end();
      }
    }
    rod(
        2,
        [&](int i) { return at((static_cast<float>(i) - 0.5F) * 0.16F * appearance_.eye_distance, 0.02F, z + 0.01F); },
        bones_.head_frame.y, line, line, Material::kGlasses);
  }

  Lofts& lofts_;
  const Body& body_;
  const Skeleton& bones_;
  const Appearance& appearance_;
  const double seconds_;
  const float h_;
};

}  // namespace

void add_head(Lofts& lofts, const Body& body, const Skeleton& bones, const Appearance& appearance, double seconds) {
  HeadBuilder(lofts, body, bones, appearance, seconds).build();
}

}  // namespace sightglass::figure

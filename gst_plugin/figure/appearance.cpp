#include "figure/appearance.h"

#include <array>

namespace sightglass::figure {

namespace {

Color from_hsv(float hue, float saturation, float value) {
  const auto channel = [&](float offset) {
    const float k = std::fmod(offset + hue * 6, 6.0F);
    return value - value * saturation * std::max(0.0F, std::min({k, 4 - k, 1.0F}));
  };
  return {channel(5), channel(3), channel(1)};
}

Color jitter(Random& random, Color color, float size) {
  const float light = random.range(-size, size);
  const auto channel = [&](float value) {
    return std::clamp(value + light + random.range(-size, size) * 0.4F, 0.0F, 1.0F);
  };
  return {channel(color.x), channel(color.y), channel(color.z)};
}

template <size_t N>
Color among(Random& random, const std::array<Color, N>& colors, float size) {
  return jitter(random, colors[static_cast<size_t>(random.below(static_cast<int>(N)))], size);
}

Color hair_color(Random& random, Color skin) {
  static constexpr std::array<Color, 6> kDark = {{{0.07F, 0.06F, 0.06F},
                                                  {0.11F, 0.08F, 0.07F},
                                                  {0.17F, 0.12F, 0.09F},
                                                  {0.24F, 0.16F, 0.11F},
                                                  {0.05F, 0.05F, 0.06F},
                                                  {0.14F, 0.10F, 0.08F}}};
  static constexpr std::array<Color, 7> kLight = {{{0.36F, 0.25F, 0.16F},
                                                   {0.48F, 0.35F, 0.22F},
                                                   {0.66F, 0.52F, 0.34F},
                                                   {0.80F, 0.68F, 0.48F},
                                                   {0.50F, 0.24F, 0.13F},
                                                   {0.55F, 0.53F, 0.51F},
                                                   {0.82F, 0.81F, 0.79F}}};
  if (random.chance(0.02F)) return from_hsv(random.unit(), 0.7F, random.range(0.35F, 0.8F));  // dyed
  if (random.chance(skin.x > 0.72F ? 0.55F : 0.1F)) return among(random, kLight, 0.05F);
  return among(random, kDark, 0.03F);
}

void choose_face(Random& random, Appearance& appearance, const Body& body) {
  const bool slender = body.bust > 0.18F;
  appearance.skin = skin_color(random);
  appearance.lips =
      mix(appearance.skin, Color{0.72F, 0.3F, 0.3F}, random.range(0.3F, 0.6F)) * mix(0.7F, 1.0F, appearance.skin.x);
  appearance.makeup = slender && random.chance(0.4F) ? random.range(0.3F, 1) : 0;
  if (appearance.makeup > 0)
    appearance.lips = mix(appearance.lips, from_hsv(random.range(0.93F, 1.02F), 0.75F, 0.65F), appearance.makeup);
  static constexpr std::array<Color, 5> kIris = {
      {{0.22F, 0.13F, 0.08F}, {0.32F, 0.2F, 0.1F}, {0.35F, 0.42F, 0.3F}, {0.36F, 0.47F, 0.58F}, {0.13F, 0.09F, 0.07F}}};
  appearance.iris = appearance.skin.x > 0.75F ? among(random, kIris, 0.04F) : jitter(random, kIris[4], 0.03F);
  appearance.freckles = random.chance(0.15F) ? random.range(0.2F, 1) : 0;
  appearance.wrinkles = random.chance(0.3F) ? random.range(0.2F, 1) : random.range(0, 0.2F);
  if (!slender) {
    appearance.stubble = random.chance(0.5F) ? random.range(0.1F, 0.7F) : 0;
    appearance.beard = random.chance(0.3F) ? random.range(0.4F, 1) : 0;
  }
  appearance.eye_size = random.range(0.88F, 1.15F);
  appearance.eye_distance = random.range(0.92F, 1.08F);
  appearance.brow_weight = random.range(0.5F, 1.4F) * (slender ? 0.75F : 1.1F);
  appearance.nose_width = random.range(0.8F, 1.3F);
  appearance.nose_length = random.range(0.85F, 1.15F);
  appearance.lip_size = random.range(0.75F, 1.3F) * (slender ? 1.1F : 0.95F);
}

void choose_hair(Random& random, Appearance& appearance, const Body& body) {
  const bool slender = body.bust > 0.18F;
  appearance.hair = hair_color(random, appearance.skin);
  appearance.hair_tip = random.chance(0.2F) ? mix(appearance.hair, Color{0.75F, 0.6F, 0.42F}, random.range(0.2F, 0.6F))
                                            : jitter(random, appearance.hair * 1.25F, 0.03F);
  appearance.style =
      static_cast<HairStyle>(slender ? random.pick({0.3F, 0.5F, 1.5F, 1, 2, 2, 3.5F, 3.5F, 2.5F, 1.6F, 0.8F, 1.5F})
                                     : random.pick({1.6F, 2, 4.5F, 3, 1.5F, 0.2F, 0.5F, 0.5F, 0.4F, 0.3F, 0.5F, 1.2F}));
  appearance.hairline = random.range(0.44F, 0.62F);
  appearance.parting = random.range(-1, 1);
  appearance.fringe = random.chance(0.3F) ? random.range(0.3F, 1) : 0;
  appearance.volume = random.range(0.06F, 0.14F);
  appearance.curl = random.range(0.01F, 0.03F);
  appearance.nape = random.range(-0.62F, -0.4F);
  appearance.in_front = random.chance(0.5F);
  switch (appearance.style) {
    case HairStyle::kBald:
      appearance.hairline = random.chance(0.5F) ? 3 : random.range(0.75F, 1.0F);
      appearance.volume = 0.012F;
      appearance.fringe = 0;
      break;
    case HairStyle::kBuzz:
      appearance.volume = 0.015F;
      appearance.fringe = 0;
      break;
    case HairStyle::kSwept:
      appearance.volume = random.range(0.12F, 0.24F);
      appearance.fringe = 0;
      break;
    case HairStyle::kMedium:
      appearance.volume = random.range(0.12F, 0.2F);
      appearance.nape = -0.8F;
      break;
    case HairStyle::kBob:
      appearance.length = random.range(0.02F, 0.08F);
      break;
    case HairStyle::kLong:
    case HairStyle::kWavy:
      appearance.length = random.range(0.08F, 0.34F);
      if (appearance.style == HairStyle::kWavy) appearance.curl = random.range(0.03F, 0.07F);
      break;
    case HairStyle::kPonytail:
      appearance.length = random.range(0.1F, 0.3F);
      appearance.volume = random.range(0.04F, 0.08F);
      break;
    case HairStyle::kBun:
      appearance.volume = random.range(0.04F, 0.08F);
      break;
    case HairStyle::kAfro:
      appearance.volume = random.range(0.25F, 0.6F);
      appearance.curl = random.range(0.05F, 0.1F);
      appearance.fringe = 0;
      break;
    case HairStyle::kCurls:
      appearance.volume = random.range(0.16F, 0.3F);
      appearance.curl = random.range(0.06F, 0.12F);
      if (slender) appearance.length = random.range(0, 0.16F);
      break;
    default:
      break;
  }
}

void choose_accessories(Random& random, Appearance& appearance) {
  appearance.headwear = static_cast<Headwear>(random.pick({7, 0.8F, 0.7F, 0.5F, 1.3F}));
  if (appearance.style == HairStyle::kAfro && appearance.headwear != Headwear::kHeadphones)
    appearance.headwear = Headwear::kNone;
  appearance.headwear_color = any_color(random);
  appearance.headphone_color = random.chance(0.7F) ? jitter(random, {0.1F, 0.1F, 0.11F}, 0.06F) : any_color(random);
  appearance.glasses = static_cast<Glasses>(random.pick({6.5F, 1.4F, 1.5F, 0.5F}));
  appearance.glasses_color = random.chance(0.7F) ? jitter(random, {0.1F, 0.08F, 0.08F}, 0.06F) : any_color(random);
  appearance.face_mask = random.chance(0.03F);
  appearance.face_mask_color = random.chance(0.6F) ? Color{0.62F, 0.76F, 0.85F} : any_color(random);
}

Garment garment(Random& random) {
  Garment made;
  made.a = any_color(random);
  made.b = random.chance(0.5F) ? any_color(random) : jitter(random, {0.9F, 0.9F, 0.88F}, 0.1F);
  made.pattern = static_cast<Pattern>(random.pick({5, 0.8F, 1.3F, 1.3F, 0.6F, 1.3F, 0.3F, 1}));
  made.scale = random.range(8, 45);
  made.thickness = random.range(0.003F, 0.010F);
  return made;
}

void choose_clothes(Random& random, Appearance& appearance, const Body& body) {
  const bool slender = body.bust > 0.18F;
  appearance.shirt = garment(random);
  appearance.neckline =
      static_cast<Neckline>(random.pick({3.2F, 1.2F, slender ? 1.2F : 0.3F, 2.4F, 0.5F, 1.2F, slender ? 0.9F : 0.3F}));
  appearance.neck_depth = random.range(0.01F, 0.05F);
  if (appearance.neckline == Neckline::kV) appearance.neck_depth = random.range(0.06F, 0.14F);
  if (appearance.neckline == Neckline::kWide) appearance.neck_depth = random.range(0.04F, 0.09F);
  if (appearance.neckline == Neckline::kStraps) appearance.neck_depth = random.range(0.08F, 0.12F);
  appearance.shirt.sleeve = random.chance(0.5F) ? random.range(1.85F, 1.98F) : random.range(0.45F, 0.85F);
  if (random.chance(0.12F)) appearance.shirt.sleeve = random.range(0.9F, 1.7F);
  if (appearance.neckline == Neckline::kStraps) appearance.shirt.sleeve = 0;
  if (appearance.neckline == Neckline::kHood || appearance.neckline == Neckline::kTurtle) {
    appearance.shirt.sleeve = 1.95F;
    appearance.shirt.thickness = random.range(0.008F, 0.017F);
  }
  appearance.shirt_print = any_color(random);
  appearance.outer = static_cast<Outer>(random.pick({6.5F, 1.8F, 1, 1}));
  if (appearance.neckline == Neckline::kHood) appearance.outer = Outer::kNone;
  appearance.coat = garment(random);
  if (appearance.outer == Outer::kJacket && random.chance(0.7F)) {
    appearance.coat.pattern = Pattern::kPlain;
    appearance.coat.a =
        jitter(random, random.chance(0.5F) ? Color{0.13F, 0.15F, 0.22F} : Color{0.3F, 0.29F, 0.29F}, 0.08F);
  }
  appearance.coat.sleeve = 1.95F;
  appearance.coat.thickness = random.range(0.007F, 0.014F);
  appearance.tie = appearance.neckline == Neckline::kCollar && random.chance(0.3F);
  appearance.tie_color = any_color(random);
  appearance.trousers = garment(random);
  static constexpr std::array<Color, 5> kTrousers = {
      {{0.2F, 0.25F, 0.36F}, {0.12F, 0.12F, 0.13F}, {0.45F, 0.4F, 0.33F}, {0.3F, 0.3F, 0.31F}, {0.36F, 0.45F, 0.57F}}};
  if (random.chance(0.75F)) {
    appearance.trousers.a = among(random, kTrousers, 0.06F);
    appearance.trousers.pattern = Pattern::kPlain;
  }
  appearance.shoes = random.chance(0.6F) ? jitter(random, {0.15F, 0.13F, 0.12F}, 0.1F) : any_color(random);
  if (random.chance(0.08F)) appearance.shoes = appearance.skin;  // none
  appearance.skirt = slender && random.chance(0.3F);
  appearance.bare_legs = appearance.skirt ? random.chance(0.7F) : random.chance(0.2F);
  appearance.neck_scarf = random.chance(0.06F);
  appearance.scarf_color = any_color(random);
}

}  // namespace

Color any_color(Random& random) {
  const int kind = random.pick({3.5F, 3, 2.2F, 0.8F});
  const float hue = random.unit();
  if (kind == 0) {  // gray, white, black
    const float value = random.chance(0.5F) ? random.range(0.05F, 0.25F) : random.range(0.3F, 0.97F);
    return jitter(random, {value, value, value}, 0.02F);
  }
  if (kind == 1) return from_hsv(hue, random.range(0.08F, 0.3F), random.range(0.45F, 0.95F));
  if (kind == 2) return from_hsv(hue, random.range(0.3F, 0.65F), random.range(0.18F, 0.75F));
  return from_hsv(hue, random.range(0.65F, 0.95F), random.range(0.45F, 0.95F));
}

Color skin_color(Random& random) {
  static constexpr std::array<Color, 9> kTones = {{{0.95F, 0.82F, 0.75F},
                                                   {0.92F, 0.76F, 0.66F},
                                                   {0.88F, 0.69F, 0.57F},
                                                   {0.82F, 0.62F, 0.48F},
                                                   {0.73F, 0.53F, 0.39F},
                                                   {0.60F, 0.42F, 0.30F},
                                                   {0.47F, 0.32F, 0.23F},
                                                   {0.35F, 0.235F, 0.17F},
                                                   {0.26F, 0.175F, 0.13F}}};
  const float place = random.unit() * (static_cast<float>(kTones.size()) - 1.001F);
  const auto index = static_cast<size_t>(place);
  return jitter(random, mix(kTones[index], kTones[index + 1], place - static_cast<float>(index)), 0.025F);
}

Appearance Appearance::of(uint32_t seed, const Body& body) {
  Appearance appearance;
  Random face(seed, Stream::kLook, 0), hair(seed, Stream::kHair), worn(seed, Stream::kLook, 1),
      clothes(seed, Stream::kLook, 2);
  choose_face(face, appearance, body);
  choose_hair(hair, appearance, body);
  choose_accessories(worn, appearance);
  choose_clothes(clothes, appearance, body);
  return appearance;
}

void Appearance::refine(uint32_t seed) {
  Random random(seed, Stream::kLook, 3);
  const bool thin_shirt = outer == Outer::kNone && neckline != Neckline::kHood && neckline != Neckline::kTurtle;
  const float sleeves = random.range(0.25F, 0.7F), lenses = random.range(0.08F, 0.3F);
  if (thin_shirt && random.chance(0.4F)) sleeve_opacity = sleeves;
  lens_opacity = glasses == Glasses::kDark ? 0.85F : lenses;
}

}  // namespace sightglass::figure

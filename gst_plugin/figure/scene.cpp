#include "figure/scene.h"

#include "figure/shape.h"
#include "figure/view.h"

namespace sightglass::figure {

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

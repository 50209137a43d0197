// The surfaces of the figure. The result is premultiplied by pixel coverage. For devices that execute both sides of
// branches, there is a shader program per kind of surface:
//   PART  kHeadPart and so on (figure/shaders.h)
#include "figure/figure_block.glsl"
#include "figure/noise.glsl"
#include "figure/hair.glsl"
#include "figure/light.glsl"
#if PART == kHeadPart
#include "figure/face.glsl"
#elif PART == kTorsoPart || PART == kClothPart || PART == kSheerPart
#include "figure/cloth.glsl"
#endif
#if PART == kTorsoPart
#include "figure/torso.glsl"
#endif

in vec3 v_place, v_normal, v_along;
in vec2 v_cloth;
flat in int v_material;
layout(location = 0) out vec4 o_color;
layout(location = 1) out vec4 o_rest;  // all but the figure

#if PART == kHairPart
vec4 hair(vec3 p, vec3 normal, vec3 view) {
  bool scalp = v_material == Material_kScalp;
  float along = scalp ? 0.1 * length(p) : v_cloth.y, angle = scalp ? atan(p.x, p.z + 0.1) : v_cloth.x;
  vec4 n = noise(vec2(angle * 26.0, along * 30.0), 61);
  float strand = 0.6 * n.g + 0.4 * bumps(vec2(angle * 70.0, along * 45.0), 62);
  vec3 albedo = mix(u_hair.rgb, u_hair_tip.rgb, 0.15 + 0.5 * strand) * (0.65 + 0.6 * strand);
  vec3 tangent = normalize(v_along + normal * (strand - 0.5) * 0.02);
  float across = dot(tangent, normalize(u_sun.xyz + view));
  float shine = (0.05 + 0.12 * strand) * pow(max(0.0, 1.0 - across * across), 30.0);
  float facing = abs(dot(normal, view));
  float alpha = smoothstep(0.0, 0.12 + 1.5 * u_hair_shape.z, facing + 0.4 * (strand - 0.3));
  float shade = scalp ? 1.0 : mix(0.75, 1.0, smoothstep(-0.9, 0.2, p.z));
  return vec4(shade * (lit(albedo, normal, view, 1.0, 0.0) + shine * u_sun_color.rgb * u_hair_tip.rgb), alpha);
}
#endif

#if PART == kClothPart || PART == kSheerPart
vec3 cloth(vec3 p, vec3 c, vec2 place) {
  vec4 a = u_shirt[0], b = u_shirt[1];
  if (v_material == Material_kCoatSleeve) { a = u_coat[0]; b = u_coat[1]; }
  if (v_material == Material_kTrousers) { a = u_trousers[0]; b = u_trousers[1]; }
  bool plain = v_material == Material_kCollar || v_material == Material_kTurtle;
  vec3 albedo = plain ? a.rgb : pattern(a, b, place);
  if (v_material == Material_kTurtle) albedo *= 0.92 + 0.08 * sin(v_cloth.x * 90.0);
  if (v_material == Material_kCollar && abs(c.x) < 0.012 + 0.35 * max(0.0, c.y - 0.01) && c.z > 0.0) discard;
  float cord = 0.85 + 0.15 * sin(v_cloth.y * 150.0 + v_cloth.x * 4.0);
  if (v_material == Material_kScarf) albedo = (wears(Headwear_kScarf) ? u_headwear.rgb : u_scarf.rgb) * cord;
  if (v_material == Material_kHeadwear) {
    albedo = u_headwear.rgb;
    if (wears(Headwear_kScarf) && cloth_line(p) < 0.015) discard;
    if (wears(Headwear_kBeanie)) albedo *= (0.85 + 0.15 * sin(v_cloth.x * 40.0)) * (p.y < 0.52 ? 0.85 : 1.0);
    if (wears(Headwear_kCap)) albedo *= 1.0 - 0.2 * smoothstep(0.03, 0.0, abs(fract(v_cloth.x * 0.955) - 0.5) * 0.3);
  }
  return albedo;
}
#endif

#if PART == kSheerPart || PART == kLensPart
// Opacity of a thin layer at a viewing angle with this cosine.
float seen_along(float opacity, float facing) { return 1.0 - pow(1.0 - opacity, 1.0 / max(facing, 0.15)); }
#endif

void main() {
  vec3 view = normalize(u_eye.xyz - v_place), normal = normalize(v_normal);
  if (dot(normal, view) < 0.0) normal = -normal;
  vec3 p = head_place(v_place);
  float gloss = 0.02, shade = 1.0;
#if PART == kHairPart
  if (v_material == Material_kScalp && hair_line(p) < 0.01) discard;
  vec4 lock = hair(p, normal, view);
  o_color = vec4(displayed(lock.rgb) * lock.a, lock.a);
#else
#if PART == kHeadPart
  vec3 albedo = paint_head(p, v_material == Material_kNose, gloss, shade);
  float shadow = 1.0;
#elif PART == 2
  vec3 albedo = u_skin.rgb * vec3(1.02, 0.98, 0.97) * (0.95 + 0.1 * rough(v_cloth * vec2(0.6, 12.0), 53));
  gloss = 0.05;
  if (v_material == Material_kNeck) {
    shade = p.y > -0.5 ? 0.85 + 0.15 * smoothstep(0.05, 0.14, length(p.yz + vec2(0.13, 0.1)))
                       : mix(0.62, 1.0, smoothstep(-0.85, -1.75, p.y + 0.35 * abs(p.x)));
  }
#elif PART == kLensPart
  vec3 albedo = vec3(0.05);
  gloss = 0.6;
#elif PART == 5
  vec3 albedo = v_material == Material_kPlastic ? u_plastic.rgb : v_material == Material_kShoes ? u_shoes.rgb
              : v_material == Material_kLens ? vec3(0.05) : u_glasses.rgb;
  gloss = v_material == Material_kShoes ? 0.05 : 0.3;
#else
  vec3 c = chest_place(v_place);
  vec2 place = vec2(v_cloth.x * (PART == kTorsoPart ? 0.15 : 0.05), v_cloth.y), slope;
  float kept = folds(place, slope);
#if PART == kTorsoPart
  vec3 albedo = torso(v_material == Material_kCoat, c, place, gloss, shade, kept, slope);
#else
  vec3 albedo = cloth(p, c, place);
  if (v_material == Material_kHeadwear && wears(Headwear_kCap)) slope *= 0.3;
#endif
  shade *= kept;
  vec3 along = normalize(v_along);
  normal = normalize(normal - (cross(normal, along) * slope.x + along * slope.y) * 1.6);
#endif
#if PART != kHeadPart
  float shadow = head_shadow(v_place);
#endif
  float opacity = 1.0;
#if PART == kSheerPart
  opacity = seen_along(u_fine.x, dot(normal, view));
#elif PART == kLensPart
  opacity = seen_along(u_fine.y, dot(normal, view));
#endif
  o_color = vec4(displayed(shade * lit(albedo, normal, view, shadow, gloss)) * opacity, opacity);
#endif
  o_rest = vec4(0.0, 0.0, 0.0, o_color.a);
}

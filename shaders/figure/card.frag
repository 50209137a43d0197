// A flat object of the room, premultiplied by its pixel coverage. For devices that execute both sides of branches,
// there is a shader program per group of textures:
//   KIND  0: plain, stripes, checks, dots, blinds; 1: noise, wood, folds, picture, foliage; 2: bricks, books, tiles
#include "figure/backdrop.h"
#include "figure/camera_block.glsl"
#include "figure/noise.glsl"

layout(std140, binding = kListBinding) uniform Cards { vec4 u_cards[5 * kMostCards]; };

in vec2 v_place;
flat in int v_card;
layout(location = 0) out vec4 o_color;
layout(location = 1) out vec4 o_rest;  // all but the figure

// 1 in the fraction `width` of each unit, with an edge one pixel wide.
float stripe(float x, float width) {
  float w = max(fwidth(x), 1e-4), f = abs(fract(x) - 0.5);
  return 1.0 - smoothstep(0.5 * width - w, 0.5 * width + w, f);
}

// Fraction of color b, and a factor for both colors.
vec2 texture_at(int kind, vec2 p, int seed) {
#if KIND == 0
  vec2 f = fract(p);
  if (kind == Texture_kStripes) return vec2(stripe(p.x, 0.5), 1.0);
  if (kind == Texture_kChecks) return vec2(abs(stripe(p.x, 0.5) - stripe(p.y, 0.5)), 1.0);
  if (kind == Texture_kDots) return vec2(1.0 - smoothstep(0.22, 0.27, length(f - 0.5)), 1.0);
  return vec2(f.y * f.y, 1.0);
#elif KIND == 1
  if (kind == Texture_kNoise) return vec2(rough(p, seed), 1.0);
  if (kind == Texture_kWood) {
    float grain = bumps(vec2(p.x * 2.0, p.y * 14.0), seed), board = white(ivec2(int(floor(p.y * 0.6)), 0), seed).r;
    return vec2(0.7 * grain * grain + 0.3 * stripe(p.y * 0.6 + 0.5, 0.03), 0.8 + 0.3 * board);
  }
  if (kind == Texture_kFolds) return vec2(0.5 + 0.5 * sin(p.x * 6.28 + 3.0 * bumps(vec2(p.x * 0.5, p.y), seed)), 1.0);
  if (kind == Texture_kPicture) return vec2(smoothstep(0.35, 0.65, rough(p * 0.5, seed)), 0.55 + 0.8 * rough(p * 0.27 + 40.0, seed + 5));
  return vec2(rough(p, seed), 0.5 + 0.9 * bumps(p * 2.7, seed + 4));
#else
  if (kind == Texture_kBricks) {
    vec2 q = vec2(p.x + 0.5 * mod(floor(p.y * 2.0), 2.0), p.y * 2.0);
    float joint = max(stripe(q.x + 0.5, 0.07), stripe(q.y + 0.5, 0.14));
    return vec2(joint, 0.75 + 0.4 * white(ivec2(floor(q)), seed).r);
  }
  float dice = white(ivec2(floor(p)), seed).r;
  return vec2(min(stripe(p.x + 0.5, 0.8), stripe(p.y + 0.5, 0.75)) * step(0.25, dice), 0.8 + 0.3 * dice);
#endif
}

#if KIND == 2
// A row of books with random colors, heights and widths. Alpha is 0 above them.
vec4 books(float x, float y, int seed) {
  float place = x + 0.35 * sin(x * 1.7), f = fract(place);
  ivec2 book = ivec2(int(floor(place)), 0);
  vec4 dice = white(book, seed);
  vec3 hue = dice.rgb;
  vec3 color = mix(vec3(dot(hue, vec3(0.33))), hue, 0.6) * 0.8 + 0.05;
  float tall = 0.55 + 0.45 * dice.a;
  float label = step(abs(y - 0.2 - 0.3 * hue.x), 0.06) + step(abs(y + 0.5), 0.03);
  color = mix(color, vec3(0.85, 0.8, 0.65), min(1.0, label) * step(0.4, hue.y));
  return vec4(color * (0.6 + 0.4 * sin(f * 3.14159)), step(y, 2.0 * tall - 1.0) * step(0.04, f));
}
#endif

void main() {
  vec4 place = u_cards[v_card * 5], turn = u_cards[v_card * 5 + 1], a = u_cards[v_card * 5 + 2],
       b = u_cards[v_card * 5 + 3], detail = u_cards[v_card * 5 + 4];
  int shape = int(a.w), kind = int(b.w), seed = int(detail.z * 100.0);
  vec2 size = max(place.zw, vec2(1e-4)), q = v_place / size;
  float pixel = fwidth(v_place.x) + fwidth(v_place.y);
  float soft = 0.5 * pixel + turn.w, outside;
  if (shape == Shape_kBox) {
    vec2 d = abs(v_place) - size + turn.z;
    outside = length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - turn.z;
  } else if (shape == Shape_kEllipse) {
    outside = (length(q) - 1.0) * min(size.x, size.y);
  } else {
    outside = (abs(q.y) - (1.0 - q.x * q.x)) * size.y;
  }
  float cover = 1.0 - smoothstep(-soft, soft, outside);
  if (shape == Shape_kGlow) {
    float r = max(0.0, 1.0 - length(q));
    o_rest = o_color = vec4(a.rgb * (r * r * 0.7), r * r * 0.35);
    return;
  }
  vec4 color = vec4(1.0);
  vec2 mixed = texture_at(kind, v_place * detail.xy, seed);
#if KIND == 0
  if (kind == Texture_kPlain) mixed = vec2(0.5 - 0.5 * q.y, 1.0);
#endif
  color.rgb = mix(a.rgb, b.rgb, mixed.x) * mixed.y;
#if KIND == 2
  if (kind == Texture_kBooks) color = books(v_place.x * detail.x, q.y, seed);
#endif
  color.rgb *= 1.0 + detail.w * 0.5 * q.y;
  // The edge away from the light.
  if (min(size.x, size.y) < 1.0) color.rgb *= 1.0 - 0.35 * smoothstep(-0.03, 0.0, outside) * smoothstep(0.8, -0.6, q.y);
  cover *= color.a;
  o_rest = o_color = vec4(clamp(color.rgb, 0.0, 1.0) * cover, cover);
}

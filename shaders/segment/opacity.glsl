// Opacity of the foreground in a pixel, in [0,1], from the mask and, if it is refined, the color of the pixel.
//   REFINE  Refine_kNone: u_mask is the model's mask
//           Refine_kBilateral: u_mask is a guide (segment/guide.comp): joint bilateral upsampling
//           Refine_kGuided: u_mask holds linear functions of color (segment/guided_fit.comp)
#include "segment/bounds.glsl"
#include "segment/bspline.glsl"
#include "segment/mask_refiner.h"
#include "segment/matte.glsl"
#include "segment/shaders.h"

#if REFINE == Refine_kBilateral
// Kopf et al.: Joint Bilateral Upsampling, 2007. Neighbors in the guide count by how near they are, in pixels of the
// guide, and by how similar their color is.
float bilateral(vec2 place, vec3 color) {
  const float kFalloff = 0.5 / (0.8 * 0.8), kColorFalloff = 0.5 / (0.07 * 0.07);
  const float kLeast = 1e-5;  // if no neighbor is similar, the nearest decide
  ivec2 size = textureSize(u_mask, 0);
  vec2 texel = place * vec2(size) - 0.5;
  ivec2 first = ivec2(floor(texel)) - 1;
  float sum = 0.0, weights = 0.0;
  for (int i = 0; i < 16; ++i) {
    ivec2 at = first + ivec2(i & 3, i >> 2);
    vec4 neighbor = texelFetch(u_mask, clamp(at, ivec2(0), size - 1), 0);
    vec2 d = vec2(at) - texel;
    vec3 difference = neighbor.rgb - color;
    float weight = exp(-kFalloff * dot(d, d)) * (exp(-kColorFalloff * dot(difference, difference)) + kLeast);
    sum += weight * neighbor.a;
    weights += weight;
  }
  return sum / weights;
}
#endif

#if REFINE != Refine_kNone
// segment/guide.comp, or segment/guided_bounds.comp
layout(binding = kSurroundingsUnit) uniform sampler2D u_surroundings;

#endif

// What the mask says about a place, whatever its color. Pixels beside each other may share it.
struct MaskThere {
  vec2 at;     // in the mask
  vec4 value;  // kNone: the probability, in R; kGuided: a linear function of color
  vec2 range;  // of refined probabilities
  float noisy;  // kGuided: share of the mean color around a pixel in its color
};

MaskThere mask_there(vec2 place) {
  MaskThere there;
  there.at = mask_place(place);
#if REFINE == Refine_kNone
  there.value = sample_bspline(u_mask, there.at);
#else
  vec3 surroundings = sample_bspline(u_surroundings, there.at).rgb;
  there.range = surroundings.rg;
  there.noisy = surroundings.b;
#endif
#if REFINE == Refine_kBilateral
  there.range = bounds(there.range);
#elif REFINE == Refine_kGuided
  // In most places, the range leaves no choice.
  there.value = vec4(0.0);
  if (matte(there.range.x) < matte(there.range.y)) there.value = sample_bspline(u_mask, there.at);
#endif
  return there;
}

float opacity(MaskThere there, vec3 color) {
#if REFINE == Refine_kBilateral
  float probability = bilateral(there.at, color);
#elif REFINE == Refine_kGuided
  float probability = dot(there.value.rgb, color - 0.5) + there.value.a;
#else
  float probability = there.value.r;
#endif
#if REFINE != Refine_kNone
  probability = clamp(probability, there.range.x, there.range.y);
#endif
  return matte(probability);
}

// The color of a pixel for opacity(): without the noise that functions of color would show. A Gaussian over 5 x 5 pixels.
vec3 quiet_color(MaskThere there, vec2 place, vec3 color) {
#if REFINE == Refine_kGuided
  bool open = there.noisy > 0.0 && matte(there.range.x) < matte(there.range.y);
  const float kFalloff = 0.5 / (1.4 * 1.4);
  vec4 sum = vec4(0.0);
  int count = open ? 25 : 0;  // software renderers skip the rest of a loop, but no branch
  for (int i = 0; i < count; ++i) {
    vec2 d = vec2(i % 5 - 2, i / 5 - 2);
    sum += exp(-kFalloff * dot(d, d)) * vec4(fetch_frame(place_in_frame(place + d * u_frame_texel)).rgb, 1.0);
  }
  if (open) color = mix(color, sum.rgb / sum.a, there.noisy);
#endif
  return color;
}

float opacity(vec2 place, vec3 color) { return opacity(mask_there(place), color); }

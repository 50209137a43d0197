// A mask without flicker: the mask of the model, mixed with the previous one.
// - Where the frame has changed by no more than its noise, a difference of the masks is noise of the model: the previous
//   mask counts, unless the model is sure of the contrary.
// - Elsewhere it counts where the two nearly agree. Otherwise the image has changed, and the previous mask says nothing
//   about it.
//   MOTION  if defined, the previous mask is sampled at the position that each pixel comes from
#include "gl/compute.h"
#include "segment/noise.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_mask;
layout(binding = kBeforeUnit) uniform sampler2D u_before;  // of the same size; smoothed
layout(binding = kLumaUnit) uniform sampler2D u_luma;      // segment/luma.comp
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;  // R: the mask; G: how still the frame is there
layout(std430, binding = kNoiseBlock) readonly buffer Noise { NOISE; };
layout(std140, binding = kParamsBinding) uniform Smoothing {
  vec4 u_share;  // x: of the previous mask, where both are equal
};

#ifdef MOTION
#include "segment/motion.glsl"
#endif

// Differences of probability: noise below the first, a change of the image above the second. More of it is noise if the
// motion is known.
#ifdef MOTION
const float kNoise = 0.15, kChange = 0.55;
const float kSettled = 0.01;  // probabilities that are as good as 0, or, from 1, as good as 1
#else
const float kNoise = 0.1, kChange = 0.4;
#endif
const float kStillNoise = 0.5, kStillChange = 0.9;  // the same where the frame is still
const float kLeastNoise = 0.002;                    // of the luma; frames without any are rounded

// 1 if the change of luma around a place, in 5 x 5 pixels, is as good as noise; 0 if it is twice as large.
float stillness(vec2 place) {
  vec2 texel = 1.0 / vec2(textureSize(u_luma, 0));
  float change = 0.0;
  for (int i = 0; i < 9; ++i) {
    vec2 d = vec2(i % 3 - 1, i / 3 - 1);
    float pixels = (1.0 + abs(d.x)) * (1.0 + abs(d.y));
    vec3 luma = textureLod(u_luma, place + 1.5 * d * texel, 0.0).rgb;
    // The noise of a mean of pixels is less than the mean of the noise.
    change += pixels * (noise_light == 1.0 ? luma.b : sqrt(pixels) * abs(luma.r - noise_light * luma.g));
  }
  change /= 25.0;
  float excess = max(change / max(noise_change, kLeastNoise) - 1.3, 0.0);
  return exp(-4.0 * excess * excess);
}

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  float now = texelFetch(u_mask, position, 0).r;
  float stayed = texelFetch(u_before, position, 0).r;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  float still = stillness(place), most = u_share.x * noise_same;
#ifdef MOTION
  // Most of a mask: no motion matters there.
  bool settled = max(now, stayed) < kSettled || min(now, stayed) > 1.0 - kSettled;
  vec3 motion = motion_at(place, settled || still > 0.99);
  float before = sample_sharp(u_before, place + motion.xy);
  float share = most * motion.z;
#else
  float before = stayed;
  float share = most;
#endif
  share *= 1.0 - smoothstep(kNoise, kChange, abs(now - before));
  float still_share = most * (1.0 - smoothstep(kStillNoise, kStillChange, abs(now - stayed)));
  float moved = mix(now, before, share), unmoved = mix(now, stayed, still_share);
  // The previous colors are those of another light.
  float still_colors = noise_light == 1.0 ? still * still_share : 0.0;
  imageStore(u_output, position, vec4(mix(moved, unmoved, still), still_colors, 0.0, 1.0));
}

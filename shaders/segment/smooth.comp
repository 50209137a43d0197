// A mask without flicker: the mask of the model, mixed with the previous one where the two nearly agree. Elsewhere the
// image has changed, and the previous mask says nothing about it.
//   MOTION  if defined, the previous mask is sampled at the position that each pixel comes from
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_mask;
layout(binding = kBeforeUnit) uniform sampler2D u_before;  // of the same size; smoothed
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
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

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  float now = texelFetch(u_mask, position, 0).r;
#ifdef MOTION
  // Most of a mask: no motion matters there.
  float stayed = texelFetch(u_before, position, 0).r;
  bool settled = max(now, stayed) < kSettled || min(now, stayed) > 1.0 - kSettled;
  vec3 motion = motion_at((vec2(position) + 0.5) / vec2(size), settled);
  float before = sample_sharp(u_before, (vec2(position) + 0.5) / vec2(size) + motion.xy);
  float share = u_share.x * motion.z;
#else
  float before = texelFetch(u_before, position, 0).r;
  float share = u_share.x;
#endif
  share *= 1.0 - smoothstep(kNoise, kChange, abs(now - before));
  imageStore(u_output, position, vec4(mix(now, before, share), 0.0, 0.0, 1.0));
}

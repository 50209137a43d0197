// A mask that keeps still where nothing moves: the model's mask, mixed with the one before where the two nearly agree.
// Where they do not, something has moved, and the mask before says nothing about it.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_mask;
layout(binding = kBeforeUnit) uniform sampler2D u_before;  // of the same size; smoothed
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Smoothing {
  vec4 u_share;  // x: of the mask before, where both are equal
};

// Differences of probability: noise below the first, motion above the second.
const float kNoise = 0.1, kMotion = 0.4;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(position, imageSize(u_output)))) return;
  float now = texelFetch(u_mask, position, 0).r;
  float before = texelFetch(u_before, position, 0).r;
  float share = u_share.x * (1.0 - smoothstep(kNoise, kMotion, abs(now - before)));
  imageStore(u_output, position, vec4(mix(now, before, share), 0.0, 0.0, 1.0));
}

// Adds an exposure of the scene, and of the scene without people, to the sums of previous exposures.
#include "figure/shaders.h"

layout(binding = kSceneUnit) uniform sampler2D u_scene;
layout(binding = kRestUnit) uniform sampler2D u_rest;
layout(binding = kSceneSumUnit) uniform highp usampler2D u_scene_sum;
layout(binding = kRestSumUnit) uniform highp usampler2D u_rest_sum;

uniform int u_first;  // 1: the first exposure of a frame

in vec2 v_place;
layout(location = 0) out uvec4 o_scene_sum;
layout(location = 1) out uvec4 o_rest_sum;

uvec4 bytes(sampler2D image, ivec2 pixel) { return uvec4(texelFetch(image, pixel, 0) * 255.0 + 0.5); }

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  o_scene_sum = bytes(u_scene, pixel);
  o_rest_sum = bytes(u_rest, pixel);
  if (u_first == 1) return;
  o_scene_sum += texelFetch(u_scene_sum, pixel, 0);
  o_rest_sum += texelFetch(u_rest_sum, pixel, 0);
}

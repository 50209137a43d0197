// Luma of the frame at the size at which motion is measured, in R, beside that of the previous frame, in G.
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kLumaUnit) uniform sampler2D u_previous;
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  // Bilinear fetches, two per axis, cover the pixels of the frame that one pixel stands for.
  vec3 color = vec3(0.0);
  for (int i = 0; i < 4; ++i) {
    vec2 within = (vec2(i & 1, i >> 1) + 0.5) / 2.0;
    color += sample_frame((vec2(position) + within) / vec2(size), vec4(0.0)).rgb;
  }
  float luma = dot(color, vec3(0.2126, 0.7152, 0.0722)) / 4.0;
  imageStore(u_output, position, vec4(luma, texelFetch(u_previous, position, 0).r, 0.0, 1.0));
}

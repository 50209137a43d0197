// Luma of the frame at the size at which frames are compared, in R, beside that of the previous frame, in G, and the
// absolute difference of both, in B.
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kLumaUnit) uniform sampler2D u_previous;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec3 color = sample_frame_cell((vec2(position) + 0.5) / vec2(size), frame_cell(1.0 / vec2(size)), vec4(0.0)).rgb;
  float luma = dot(color, vec3(0.2126, 0.7152, 0.0722));
  float previous = texelFetch(u_previous, position, 0).r;
  imageStore(u_output, position, vec4(luma, previous, abs(luma - previous), 1.0));
}

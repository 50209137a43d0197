// The frame as a model sees it, with the mask of the frame before in A.
#include "lib/frame.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 1) uniform sampler2D u_mask;  // in R
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  imageStore(u_output, position, vec4(sample_frame(place, vec4(0.0)).rgb, textureLod(u_mask, place, 0.0).r));
}

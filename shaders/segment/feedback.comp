// The frame sampled for the model, with the previous mask in A.
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/shaders.h"
layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kMaskUnit) uniform sampler2D u_mask;  // in R
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  vec3 color = sample_frame_cell(place, frame_cell(1.0 / vec2(size)), vec4(0.0)).rgb;
  imageStore(u_output, position, vec4(color, textureLod(u_mask, place, 0.0).r));
}

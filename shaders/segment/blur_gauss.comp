// One axis of a Gaussian of up to eight texels per side, with one bilinear fetch per two texels.
#include "gl/compute.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_input;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Gauss {
  vec4 u_taps[4];  // x: distance in texels; y: weight of each of the two fetches
  vec4 u_axis;     // xy: direction; z: weight of the center
};

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 place = (vec2(position) + 0.5) / vec2(size);
  vec2 texel = u_axis.xy / vec2(size);
  vec4 sum = u_axis.z * textureLod(u_input, place, 0.0);
  for (int i = 0; i < 4; ++i) {
    vec2 d = texel * u_taps[i].x;
    sum += u_taps[i].y * (textureLod(u_input, place - d, 0.0) + textureLod(u_input, place + d, 0.0));
  }
  imageStore(u_output, position, sum);
}

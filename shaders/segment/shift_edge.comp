// Moves the edge of an opacity, outwards or inwards: the greatest or least opacity on a circle around each texel and in
// its center. Circles of few texels leave no gap between sixteen bilinear fetches.
#include "gl/compute.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_input;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Shift {
  vec4 u_shift;  // x: the radius in texels; y: 1: outwards, -1: inwards
};

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 texel = 1.0 / vec2(size);
  vec2 place = (vec2(position) + 0.5) * texel;
  float most = u_shift.y * textureLod(u_input, place, 0.0).r;
  for (int i = 0; i < 16; ++i) {
    float angle = 0.39269908 * float(i);
    vec2 away = u_shift.x * vec2(cos(angle), sin(angle));
    most = max(most, u_shift.y * textureLod(u_input, place + away * texel, 0.0).r);
  }
  imageStore(u_output, position, vec4(u_shift.y * most, 0.0, 0.0, 1.0));
}

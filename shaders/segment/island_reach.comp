// Influence of sure regions along one axis: the maximum over all cells, less the square of their distance. The square of
// a distance is the sum of the squares along both axes, so that two passes cover circles. G and B are sums over a square.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_input;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Reach {
  vec4 u_reach;  // xy: one cell along the axis; z: the distance in cells at which an influence of 1 ends
};

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(cell, size))) return;
  ivec2 axis = ivec2(u_reach.xy);
  int steps = int(u_reach.z);
  float influence = 0.0;
  for (int i = -steps; i <= steps; ++i) {
    float distance = float(i) / u_reach.z;
    ivec2 other = clamp(cell + i * axis, ivec2(0), size - 1);
    influence = max(influence, texelFetch(u_input, other, 0).r - distance * distance);
  }
  int around = int(kSupportReach * u_reach.z);
  vec2 sums = vec2(0.0);
  for (int i = -around; i <= around; ++i) {
    ivec2 other = cell + i * axis;
    if (all(greaterThanEqual(other, ivec2(0))) && all(lessThan(other, size))) sums += texelFetch(u_input, other, 0).gb;
  }
  imageStore(u_output, cell, vec4(influence, sums, 1.0));
}

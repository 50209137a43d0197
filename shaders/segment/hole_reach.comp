// How far each cell is in a narrow place that sure regions enclose. In eight directions, a line from one sure region to the
// next passes through the cell. Gaps that are open to one side, and the surroundings of people, have a line without end.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_core;  // segment/island_core.comp
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Reach {
  vec4 u_reach;  // z: the longest line in cells
};

// How near the nearest sure region is in a direction: 1 here, 0 at the length of the longest line, and without any.
float nearness(ivec2 cell, ivec2 direction) {
  ivec2 size = textureSize(u_core, 0);
  float stride = length(vec2(direction)) / u_reach.z, most = 0.0;
  for (int n = 1; float(n) * stride < 1.0; ++n) {
    ivec2 other = cell + n * direction;
    if (any(lessThan(other, ivec2(0))) || any(greaterThanEqual(other, size))) break;
    most = max(most, texelFetch(u_core, other, 0).r * (1.0 - float(n) * stride));
  }
  return most;
}

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(cell, imageSize(u_output)))) return;
  // With their turns by 90 degrees, they are at most 27 degrees apart.
  const ivec2 kDirections[4] = ivec2[4](ivec2(1, 0), ivec2(1, 1), ivec2(2, 1), ivec2(1, 2));
  float longest = 1.0, shortest = 0.0;  // 1 less the length of a line, as a fraction
  for (int i = 0; i < 8; ++i) {
    ivec2 direction = kDirections[i >> 1];
    if ((i & 1) != 0) direction = ivec2(-direction.y, direction.x);
    float line = max(nearness(cell, direction) + nearness(cell, -direction) - 1.0, 0.0);
    longest = min(longest, line);
    shortest = max(shortest, line);
  }
  float enclosed = smoothstep(0.0, kClosed, longest) * smoothstep(kNarrowFrom, kNarrowTo, shortest);
  imageStore(u_output, cell, vec4(enclosed, 0.0, 0.0, 1.0));
}

// How far each cell is enclosed by sure regions: the minimum, over all directions, of how near the nearest one is. Gaps that
// are open to one side, and the surroundings of people, have a direction without any.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_core;  // segment/island_core.comp
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Reach {
  vec4 u_reach;  // z: the distance in cells at which a sure region no longer encloses
};

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy), size = imageSize(u_output);
  if (any(greaterThanEqual(cell, size))) return;
  // With their turns by 90 degrees, they are at most 27 degrees apart.
  const ivec2 kDirections[4] = ivec2[4](ivec2(1, 0), ivec2(1, 1), ivec2(2, 1), ivec2(1, 2));
  float enclosed = 1.0;
  for (int i = 0; i < 16; ++i) {
    ivec2 direction = kDirections[i >> 2];
    if ((i & 1) != 0) direction = ivec2(-direction.y, direction.x);
    if ((i & 2) != 0) direction = -direction;
    float stride = length(vec2(direction)) / u_reach.z, nearest = 0.0;
    for (int n = 1; float(n) * stride < 1.0; ++n) {
      ivec2 other = cell + n * direction;
      if (any(lessThan(other, ivec2(0))) || any(greaterThanEqual(other, size))) break;
      nearest = max(nearest, texelFetch(u_core, other, 0).r * (1.0 - smoothstep(0.5, 1.0, float(n) * stride)));
    }
    enclosed = min(enclosed, nearest);
  }
  imageStore(u_output, cell, vec4(enclosed, 0.0, 0.0, 1.0));
}

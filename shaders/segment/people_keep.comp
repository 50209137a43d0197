// The mask without other people than the main person.
#include "gl/compute.h"
#include "segment/people.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kMaskUnit) uniform sampler2D u_mask;
layout(binding = kPeopleCellsUnit) uniform sampler2D u_cells;  // 1 where the nearest person is the main one
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(position, imageSize(u_output)))) return;
  // The last cell may reach beyond the mask.
  vec2 place = (vec2(position) + 0.5) / people_grid.z / people_grid.xy;
  float kept = smoothstep(0.25, 0.75, textureLod(u_cells, place, 0.0).r);
  imageStore(u_output, position, vec4(texelFetch(u_mask, position, 0).r * kept, 0.0, 0.0, 1.0));
}

// The mask, in which uncertain foreground falls to background where no sure region has influence.
#include "gl/compute.h"
#include "segment/bspline.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_mask;
layout(binding = kIslandCellsUnit) uniform sampler2D u_cells;  // the influence
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(position, imageSize(u_output)))) return;
  float probability = texelFetch(u_mask, position, 0).r;
  // The last cell may reach beyond the mask.
  vec2 place = (vec2(position) + 0.5) / float(kIslandCell) / vec2(textureSize(u_cells, 0));
  float kept = smoothstep(0.0, kNearInfluence, sample_bspline(u_cells, place).r);
  float sure = smoothstep(kSureFrom, kSureTo, probability);
  imageStore(u_output, position, vec4(probability * mix(kept, 1.0, sure), 0.0, 0.0, 1.0));
}

// The mask, in which uncertain foreground falls to background where no sure region has influence, all of it does where
// the model is sure of little of it, and uncertain background that sure regions enclose becomes foreground.
#include "gl/compute.h"
#include "segment/bspline.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_mask;
layout(binding = kIslandCellsUnit) uniform sampler2D u_cells;    // the influence
layout(binding = kHoleCellsUnit) uniform sampler2D u_enclosed;  // segment/hole_reach.comp
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Cleaning {
  vec4 u_cleaning;  // x: 1 if islands are removed; y: 1 if holes are filled; textures of the other have no content
};

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(position, imageSize(u_output)))) return;
  float probability = texelFetch(u_mask, position, 0).r, result = probability;
  // The last cell may reach beyond the mask.
  vec2 place = (vec2(position) + 0.5) / float(kIslandCell) / vec2(textureSize(u_cells, 0));
  if (u_cleaning.x > 0.0) {
    vec3 around = sample_bspline(u_cells, place).rgb;  // segment/island_reach.comp
    float kept = smoothstep(0.0, kNearInfluence, around.r);
    float support = smoothstep(kSupportFrom, kSupportTo, around.b / max(around.g, 0.01));
    float sure = smoothstep(kSureFrom, kSureTo, probability);
    result *= support * mix(kept, 1.0, sure);
  }
  if (u_cleaning.y > 0.0) {
    float enclosed = smoothstep(kEnclosedFrom, kEnclosedTo, sample_bspline(u_enclosed, place).r);
    result = mix(result, 1.0, enclosed * smoothstep(kGapTo, kHoleFrom, probability));
  }
  imageStore(u_output, position, vec4(result, 0.0, 0.0, 1.0));
}

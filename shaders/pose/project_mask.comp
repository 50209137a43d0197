// Projects the mask of the person in the last processed region to the upright frame. Where the masks of several people
// overlap, the maximum counts.
#include "gl/compute.h"
#include "pose/regions.glsl"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(std430, binding = 0) readonly buffer Score { float score[]; };
layout(std430, binding = 1) readonly buffer State { PERSON_REGIONS; };
layout(binding = 0) uniform sampler2D u_mask;  // probability in R
layout(r32f, binding = 0) uniform highp image2D u_frame_mask;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_frame_mask);
  if (any(greaterThanEqual(position, size))) return;
  vec4 square = regions[slot].square;
  vec2 from_middle = ((vec2(position) + 0.5) / vec2(size)) * u_frame.xy - square.xy;
  vec2 at = turned(from_middle, -square.w) / max(square.z, 1.0) + 0.5;
  bool inside = all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(1.0)));
  bool is_there = regions[slot].is_followed != 0 && score[0] >= u_score.x;
  float mask = inside && is_there ? textureLod(u_mask, at, 0.0).r : 0.0;
  if (slot > 0) mask = max(mask, imageLoad(u_frame_mask, position).r);
  imageStore(u_frame_mask, position, vec4(mask, 0.0, 0.0, 1.0));
}

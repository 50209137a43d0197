// Copies the landmarks that the blendshape model takes from those of the current region, in frame pixels, and decides
// whether that model runs. One work group.
#include "detect/region.glsl"
#include "gl/compute.h"
#include "infer/landmarks.glsl"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { LANDMARKS; };
layout(std430, binding = 1) readonly buffer State { REGIONS; };
layout(std430, binding = 2) writeonly buffer Points { vec2 b_points[kBlendshapePoints]; };
layout(std430, binding = 3) writeonly buffer Flag { uint blendshapes_run; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_size;  // of the upright frame in pixels; 0, 0
  ivec4 u_points[(kBlendshapePoints + 3) / 4];
};

void main() {
  int lane = int(gl_LocalInvocationIndex);
  if (lane == 0) blendshapes_run = objects[slot].count > 0 ? 1u : 0u;
  for (int i = lane; i < kBlendshapePoints; i += kGroupInvocations) {
    b_points[i] = objects[slot].points[u_points[i / 4][i % 4]].xy * u_size.xy;
  }
}

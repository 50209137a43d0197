// Copies the output of the blendshape model to the face that it was computed for, if it has run. One work group.
#include "detect/region.glsl"
#include "gl/compute.h"
#include "infer/landmarks.glsl"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) buffer Found { LANDMARKS; };
layout(std430, binding = 1) readonly buffer State { REGIONS; };
layout(std430, binding = 2) readonly buffer Outputs { float b_coefficients[kBlendshapes]; };

void main() {
  int i = int(gl_LocalInvocationIndex);
  if (i >= kBlendshapes || objects[slot].count == 0) return;
  objects[slot].blendshapes[i] = b_coefficients[i];
  if (i == 0) objects_blendshapes = kBlendshapes;
}

// The work group counts of the steps of a run: as planned, or zeros if the flag is 0.
#include "shader/own_shaders.h"

layout(local_size_x = kGateInvocations) in;

layout(std430, binding = kPlannedBlock) readonly buffer Planned { uint planned[]; };  // three per step
layout(std430, binding = kFlagBlock) readonly buffer Flag { uint flag; };
layout(std430, binding = kGroupsBlock) writeonly buffer Groups { uint groups[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i < planned.length()) groups[i] = flag == 0u ? 0u : planned[i];
}

// The work groups of a run's steps: as they were planned, or none at all where the flag is 0.
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Planned { uint planned[]; };  // three to a step
layout(std430, binding = 1) readonly buffer Flag { uint flag; };
layout(std430, binding = 2) writeonly buffer Groups { uint groups[]; };

void main() {
  int i = int(gl_WorkGroupID.x * 64u + gl_LocalInvocationID.x);
  if (i < planned.length()) groups[i] = flag == 0u ? 0u : planned[i];
}

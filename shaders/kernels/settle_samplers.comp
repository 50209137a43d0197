// Gives every slot that a kernel may use for a buffer texture the sampler of one unit. Mesa numbers the samplers of a program
// from 0, whatever their units. What is sampled does not matter.
#include "shader/own_shaders.h"

layout(local_size_x = 1) in;

// As many as the planes of a frame, and weights.
layout(binding = kSettledUnit) uniform sampler2D u_0;
layout(binding = kSettledUnit) uniform sampler2D u_1;
layout(binding = kSettledUnit) uniform sampler2D u_2;
layout(binding = kSettledUnit) uniform sampler2D u_3;
layout(std430, binding = 0) buffer Kept { float kept[]; };

void main() {
  float sum = textureLod(u_0, vec2(0.5), 0.0).r + textureLod(u_1, vec2(0.5), 0.0).r +
              textureLod(u_2, vec2(0.5), 0.0).r + textureLod(u_3, vec2(0.5), 0.0).r;
  if (sum < -3.0e38) kept[0] = sum;  // never true, which compilers do not know
}

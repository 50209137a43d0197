// Only multiply-adds of vec4 in registers, to measure the maximum speed of the device. CHAINS of them are independent.
#include "shader/own_shaders.h"

layout(local_size_x = kMeasureInvocations) in;

layout(std430, binding = 0) writeonly buffer Output { vec4 sums[]; };
layout(location = kFactorLocation) uniform vec4 factor;  // unknown to the compiler
layout(location = kRoundsLocation) uniform int rounds;   // of kUnrolled multiply-adds per chain

void main() {
  vec4 chain[CHAINS];
  for (int i = 0; i < CHAINS; ++i) chain[i] = vec4(gl_GlobalInvocationID.x) + float(i);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < kUnrolled; ++k) {
      for (int i = 0; i < CHAINS; ++i) chain[i] = chain[i] * factor.x + factor.y;
    }
  }
  vec4 sum = vec4(0.0);
  for (int i = 0; i < CHAINS; ++i) sum += chain[i];
  sums[gl_GlobalInvocationID.x] = sum;
}

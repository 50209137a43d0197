// Copies a buffer to measure the memory speed of kernels. Every invocation copies kCopied vec4, one work group width
// apart.
#include "shader/own_shaders.h"

layout(local_size_x = kMeasureInvocations) in;

#ifdef BUFFER_TEXTURES
layout(binding = 0) uniform highp samplerBuffer from;
#define LOAD(i) texelFetch(from, i)
#else
layout(std430, binding = 1) readonly buffer Input { vec4 from[]; };
#define LOAD(i) from[i]
#endif
layout(std430, binding = 0) writeonly buffer Output { vec4 to[]; };

void main() {
  int first = int(gl_WorkGroupID.x) * (kCopied * kMeasureInvocations) + int(gl_LocalInvocationID.x);
  vec4 copied[kCopied];
  for (int i = 0; i < kCopied; ++i) copied[i] = LOAD(first + i * kMeasureInvocations);
  for (int i = 0; i < kCopied; ++i) to[first + i * kMeasureInvocations] = copied[i];
}

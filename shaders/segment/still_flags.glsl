// Two alternating flags, so that one can be cleared while the other is in use, and a count of runs without a set flag.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(std430, binding = kFlagsBlock) buffer Flags { uint b_words[]; };
layout(std140, binding = kParamsBinding) uniform Still {
  vec4 u_still;   // x: minimum difference that counts; zw: size of the model input, in pixels
  ivec4 u_which;  // x: the flag in use, 0 or 1; y: whether to set it unconditionally
};

int flag_word() { return kFlagWords * u_which.x; }
int other_flag_word() { return kFlagWords - kFlagWords * u_which.x; }

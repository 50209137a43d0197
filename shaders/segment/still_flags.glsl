// Two flags take turns, so that each can be cleared while the other one is in use; and how often none was set.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(std430, binding = kFlagsBlock) buffer Flags { uint b_words[]; };
layout(std140, binding = kParamsBinding) uniform Still {
  vec4 u_still;   // x: the least difference that counts; zw: the model's picture, in pixels
  ivec4 u_which;  // x: the flag in use, 0 or 1; y: whether it is to be set whatever the picture shows
};

int flag_word() { return kFlagWords * u_which.x; }
int other_flag_word() { return kFlagWords - kFlagWords * u_which.x; }

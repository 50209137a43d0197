// Two flags take turns, so that each can be cleared while the other one is in use; and how often none was set.
layout(std430, binding = 0) buffer Flags { uint b_words[]; };
layout(std140, binding = 1) uniform Still {
  vec4 u_still;   // x: the least difference that counts; zw: the model's picture, in pixels
  ivec4 u_which;  // x: the flag in use, 0 or 1; y: whether it is to be set whatever the picture shows
};

const int kSkippedWord = 128;
int flag_word() { return 64 * u_which.x; }
int other_flag_word() { return 64 - 64 * u_which.x; }

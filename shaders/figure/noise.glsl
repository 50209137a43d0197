// Samples the noise textures of make_noise.frag.
#include "figure/shaders.h"

layout(binding = kBumpsUnit) uniform sampler2D u_bumps;
layout(binding = kWhiteUnit) uniform sampler2D u_white;

// R: rough; G: one bump per unit; B, A: slopes of R.
vec4 noise(vec2 p, int seed) {
  vec4 n = textureLod(u_bumps, p * (1.0 / 32.0) + vec2(0.37, 0.71) * float(seed), 0.0);
  return vec4(n.rg, n.ba * 0.5 - 0.25);
}
float bumps(vec2 p, int seed) { return noise(p, seed).g; }
float rough(vec2 p, int seed) { return noise(p, seed).r; }

vec4 white(ivec2 p, int seed) { return texelFetch(u_white, (p + seed * ivec2(37, 91)) & 255, 0); }

// Noise for the other shaders, computed from integers so that it is the same on every device. o_bumps has a rough
// surface, a smooth one with one bump per unit, and the slopes of the rough one. o_white has four independent values
// per texel. Both are periodic.
#include "figure/shaders.h"

layout(location = 0) out vec4 o_bumps;
layout(location = 1) out vec4 o_white;

const int PERIOD = 32;  // units

uint scramble(uvec3 p) {
  uint h = p.x * 0x8da6b343u + p.y * 0xd8163841u + p.z * 0xcb1ab31fu;
  h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12u)) * 0x297a2d39u;
  return h ^ (h >> 15u);
}

float white(ivec2 p, int seed) { return float(scramble(uvec3(ivec3(p, seed))) >> 8u) * (1.0 / 16777216.0); }

float bumps(vec2 p, int period, int seed) {
  ivec2 low = ivec2(floor(p));
  vec2 f = p - vec2(low);
  f = f * f * (3.0 - 2.0 * f);
  ivec2 a = low & (period - 1), b = (low + 1) & (period - 1);
  return mix(mix(white(a, seed), white(ivec2(b.x, a.y), seed), f.x), mix(white(ivec2(a.x, b.y), seed), white(b, seed), f.x), f.y);
}

float rough(vec2 p) {
  return 0.55 * bumps(p, PERIOD, 1) + 0.3 * bumps(p * 2.0, PERIOD * 2, 2) + 0.15 * bumps(p * 4.0, PERIOD * 4, 3);
}

void main() {
  vec2 p = gl_FragCoord.xy * (float(PERIOD) / float(kNoiseSize));
  float here = rough(p);
  vec2 slope = vec2(rough(p + vec2(0.25, 0.0)), rough(p + vec2(0.0, 0.25))) - here;
  o_bumps = vec4(here, bumps(p, PERIOD, 4), slope * 2.0 + 0.5);
  ivec2 texel = ivec2(gl_FragCoord.xy);
  o_white = vec4(white(texel, 5), white(texel, 6), white(texel, 7), white(texel, 8));
}

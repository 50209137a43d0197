// Block matching, one work group per block: the displacement at which the window around the block differs least, in the
// mean square, from the previous luma. First among every other displacement, between images of half the size; then among
// those around the best one, with a parabola through the neighbors of the minimum. Most blocks have not moved: they end
// early.
#include "gl/compute.h"
#include "segment/noise.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupInvocations) in;
layout(binding = 0) uniform sampler2D u_luma;  // R: now, G: previous
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std430, binding = kNoiseBlock) readonly buffer Noise { NOISE; };

#define PREVIOUS (kMotionWindow + 2 * kMotionPad)
#define HALF (kMotionWindow / 2)
#define HALF_PREVIOUS (HALF + kCoarseReach)
#define COARSE (kCoarseReach + 1)
#define FINE (2 * kFineReach + 3)

shared float s_now[kMotionWindow * kMotionWindow];
shared float s_previous[PREVIOUS * PREVIOUS];
shared float s_half_now[HALF * HALF];
shared float s_half_previous[HALF_PREVIOUS * HALF_PREVIOUS];
shared float s_costs[COARSE * COARSE];
shared float s_parts[2 * FINE * FINE];
shared float s_changes[kGroupInvocations];
shared ivec2 s_coarse;
shared int s_still;

float mean_now(int x, int y) {
  int at = 2 * y * kMotionWindow + 2 * x;
  return 0.25 * (s_now[at] + s_now[at + 1] + s_now[at + kMotionWindow] + s_now[at + kMotionWindow + 1]);
}

// The first displacement is -kCoarseReach, which begins kMotionPad - kCoarseReach pixels into the stored part.
float mean_previous(int x, int y) {
  int at = (2 * y + kMotionPad - kCoarseReach) * PREVIOUS + 2 * x + kMotionPad - kCoarseReach;
  return 0.25 * (s_previous[at] + s_previous[at + 1] + s_previous[at + PREVIOUS] + s_previous[at + PREVIOUS + 1]);
}

float bias(vec2 displacement) { return kMotionBias * length(displacement); }

float fine_cost(ivec2 at) {
  int i = at.y * FINE + at.x;
  vec2 displacement = vec2(s_coarse + at - FINE / 2);
  return (s_parts[2 * i] + s_parts[2 * i + 1]) / float(kMotionWindow * kMotionWindow) + bias(displacement);
}

// The minimum of a parabola through the costs at -1, 0 and 1, of which that at 0 is the smallest.
float minimum(float low, float here, float high) {
  float bend = low + high - 2.0 * here;
  return bend > 1e-9 ? clamp(0.5 * (low - high) / bend, -0.5, 0.5) : 0.0;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  ivec2 block = ivec2(gl_WorkGroupID.xy);
  ivec2 size = textureSize(u_luma, 0), first = kMotionBlock * block - kMotionMargin;
  float change = 0.0;
  for (int i = lane; i < kMotionWindow * kMotionWindow; i += int(kGroupInvocations)) {
    ivec2 at = first + ivec2(i % kMotionWindow, i / kMotionWindow);
    vec2 luma = texelFetch(u_luma, clamp(at, ivec2(0), size - 1), 0).rg;
    s_now[i] = luma.r;
    float difference = luma.r - noise_light * luma.g;
    change += difference * difference;
  }
  s_changes[lane] = change;
  barrier();
  if (lane == 0) {
    float sum = 0.0;
    for (int i = 0; i < int(kGroupInvocations); ++i) sum += s_changes[i];
    s_still = int(sum / float(kMotionWindow * kMotionWindow) <= kMotionNoise);
    if (s_still != 0) imageStore(u_output, block, vec4(0.0, 0.0, 0.0, 1.0));
  }
  barrier();
  if (s_still != 0) return;
  for (int i = lane; i < PREVIOUS * PREVIOUS; i += int(kGroupInvocations)) {
    ivec2 at = first - kMotionPad + ivec2(i % PREVIOUS, i / PREVIOUS);
    s_previous[i] = noise_light * texelFetch(u_luma, clamp(at, ivec2(0), size - 1), 0).g;
  }
  barrier();
  for (int i = lane; i < HALF * HALF; i += int(kGroupInvocations)) s_half_now[i] = mean_now(i % HALF, i / HALF);
  for (int i = lane; i < HALF_PREVIOUS * HALF_PREVIOUS; i += int(kGroupInvocations)) {
    s_half_previous[i] = mean_previous(i % HALF_PREVIOUS, i / HALF_PREVIOUS);
  }
  barrier();
  for (int i = lane; i < COARSE * COARSE; i += int(kGroupInvocations)) {
    ivec2 shift = ivec2(i % COARSE, i / COARSE);
    float sum = 0.0;
    for (int y = 0; y < HALF; ++y) {
      for (int x = 0; x < HALF; ++x) {
        float d = s_half_now[y * HALF + x] - s_half_previous[(y + shift.y) * HALF_PREVIOUS + x + shift.x];
        sum += d * d;
      }
    }
    s_costs[i] = sum / float(HALF * HALF) + bias(vec2(2 * shift - kCoarseReach));
  }
  barrier();
  if (lane == 0) {
    int best = 0;
    for (int i = 1; i < COARSE * COARSE; ++i) best = s_costs[i] < s_costs[best] ? i : best;
    s_coarse = 2 * ivec2(best % COARSE, best / COARSE) - kCoarseReach;
  }
  barrier();
  // Two invocations per displacement take every other row.
  for (int i = lane; i < 2 * FINE * FINE; i += int(kGroupInvocations)) {
    ivec2 shift = kMotionPad + s_coarse + ivec2((i / 2) % FINE, (i / 2) / FINE) - FINE / 2;
    float sum = 0.0;
    for (int y = i % 2; y < kMotionWindow; y += 2) {
      for (int x = 0; x < kMotionWindow; ++x) {
        float d = s_now[y * kMotionWindow + x] - s_previous[(y + shift.y) * PREVIOUS + x + shift.x];
        sum += d * d;
      }
    }
    s_parts[i] = sum;
  }
  barrier();
  if (lane != 0) return;
  ivec2 best = ivec2(FINE / 2);
  for (int y = 1; y < FINE - 1; ++y) {
    for (int x = 1; x < FINE - 1; ++x) best = fine_cost(ivec2(x, y)) < fine_cost(best) ? ivec2(x, y) : best;
  }
  float here = fine_cost(best);
  vec2 between = vec2(minimum(fine_cost(best - ivec2(1, 0)), here, fine_cost(best + ivec2(1, 0))),
                      minimum(fine_cost(best - ivec2(0, 1)), here, fine_cost(best + ivec2(0, 1))));
  vec2 displacement = vec2(s_coarse + best - FINE / 2) + between;
  imageStore(u_output, block, vec4(displacement / vec2(size), 0.0, 1.0));
}

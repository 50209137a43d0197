// For every cell and point: the position of the point if it is in this cell, in model input pixels, and its score.
//   OFFSETS  the model outputs the position (PoseNet); otherwise it is the peak of a parabola through neighbor scores
#include "gl/compute.h"
#include "pose/cells.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Scores { float scores[]; };
#ifdef OFFSETS
layout(std430, binding = 1) readonly buffer Offsets { float offsets[]; };
#endif
layout(std430, binding = 2) writeonly buffer Cells {
  vec4 cells[];  // x, y, score, and the score again if it is the highest of its neighborhood, otherwise 0
};

float raw_score(ivec2 cell, int point) {
  return scores[cell_index(clamp(cell, ivec2(0), u_grid.xy - 1), point)];
}

#ifndef OFFSETS
// Position of the peak of the parabola through three values at -1, 0 and 1; the middle one is the highest.
float summit(float before, float here, float after) {
  float bend = 2.0 * here - before - after;
  return bend > 1e-6 ? clamp(0.5 * (after - before) / bend, -0.5, 0.5) : 0.0;
}
#endif

void main() {
  int n = int(gl_GlobalInvocationID.x);
  if (n >= u_grid.x * u_grid.y * u_grid.z) return;
  int point = n % u_grid.z, at = n / u_grid.z;
  ivec2 cell = ivec2(at % u_grid.x, at / u_grid.x);
  float raw = scores[n];
  bool highest = true;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) highest = highest && raw_score(cell + ivec2(x, y), point) <= raw;
  }
#ifdef OFFSETS
  int first = at * 2 * u_grid.z + point;
  vec2 pixel = vec2(cell) * u_input.zw + vec2(offsets[first + u_grid.z], offsets[first]);
#else
  vec2 part = highest ? vec2(summit(raw_score(cell - ivec2(1, 0), point), raw, raw_score(cell + ivec2(1, 0), point)),
                             summit(raw_score(cell - ivec2(0, 1), point), raw, raw_score(cell + ivec2(0, 1), point)))
                      : vec2(0.0);
  // At the border, one neighbor is missing.
  part *= vec2(greaterThan(cell, ivec2(0))) * vec2(lessThan(cell, u_grid.xy - 1));
  vec2 pixel = (vec2(cell) + 0.5 + part) * u_input.zw - 0.5;
#endif
  float score = u_score.w > 0.0 ? sigmoid(raw) : clamp(raw, 0.0, 1.0);
  cells[n] = vec4(pixel, score, highest ? score : 0.0);
}

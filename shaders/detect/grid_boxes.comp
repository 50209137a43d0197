// Reads the cells of a grid with a score per class, the first of which is the background (FOMO): a cell is an object of
// its best class if that has the highest score of the cells around it; of equals, the first one.
//   SOFTMAX   scores are logits
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };
layout(std430, binding = 1) writeonly buffer Boxes { vec4 b_boxes[]; };  // minimum x and y, maximum x and y
layout(std430, binding = 2) writeonly buffer Best { vec2 b_best[]; };    // score, class
layout(std140, binding = kParamsBinding) uniform Grid {
  ivec4 u_grid;  // columns, rows, scores per cell; 0
};

float value(ivec2 cell, int c) { return b_outputs[(cell.y * u_grid.x + cell.x) * u_grid.z + c]; }

float score(ivec2 cell, int c) {
#ifdef SOFTMAX
  float top = value(cell, 0), sum = 0.0;
  for (int k = 1; k < u_grid.z; ++k) top = max(top, value(cell, k));
  for (int k = 0; k < u_grid.z; ++k) sum += exp(value(cell, k) - top);
  return exp(value(cell, c) - top) / sum;
#else
  return value(cell, c);
#endif
}

bool is_peak(ivec2 cell, int c, float of_cell) {
  for (int y = max(cell.y - 1, 0); y <= min(cell.y + 1, u_grid.y - 1); ++y) {
    for (int x = max(cell.x - 1, 0); x <= min(cell.x + 1, u_grid.x - 1); ++x) {
      bool is_before = y < cell.y || (y == cell.y && x < cell.x);
      float other = score(ivec2(x, y), c);
      if (other > of_cell || (is_before && other == of_cell)) return false;
    }
  }
  return true;
}

void main() {
  int n = int(gl_GlobalInvocationID.x);
  if (n >= u_grid.x * u_grid.y) return;
  ivec2 cell = ivec2(uvec2(uint(n) % uint(u_grid.x), uint(n) / uint(u_grid.x)));
  int best = 0;
  float most = -1.0;
  for (int c = 1; c < u_grid.z; ++c) {
    float other = score(cell, c);
    if (other > most) {
      most = other;
      best = c;
    }
  }
  vec2 size = 1.0 / vec2(u_grid.xy), corner = vec2(cell) * size;
  b_boxes[n] = vec4(corner, corner + size);
  b_best[n] = vec2(best > 0 && is_peak(cell, best, most) ? most : -1.0, float(best - 1));
}

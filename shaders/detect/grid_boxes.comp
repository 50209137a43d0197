// Reads the cells of a grid with a score per class: a cell is an object of its best class if that has the highest score of
// the cells around it; of equals, the first one. The first class is the background (FOMO), and the box is the cell.
//   SOFTMAX    scores are logits
//   CENTERS    all classes count, and other outputs have the size of the box and the offset of its center (CenterNet)
//   LOGISTIC   with CENTERS: scores are logits
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };
layout(std430, binding = 1) writeonly buffer Boxes { vec4 b_boxes[]; };  // minimum x and y, maximum x and y
layout(std430, binding = 2) writeonly buffer Best { vec2 b_best[]; };    // score, class
layout(std140, binding = kParamsBinding) uniform Grid {
  ivec4 u_grid;   // columns, rows, scores per cell; 0
  ivec4 u_parts;  // first value of scores, sizes, and offsets
};

#ifdef CENTERS
const int kBackgrounds = 0;
#else
const int kBackgrounds = 1;
#endif

float value(ivec2 cell, int c) { return b_outputs[u_parts.x + (cell.y * u_grid.x + cell.x) * u_grid.z + c]; }

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
  int best = -1;
  float most = -3.0e38;
  for (int c = kBackgrounds; c < u_grid.z; ++c) {
    float other = score(cell, c);
    if (other > most) {  // NaN does not count
      most = other;
      best = c;
    }
  }
  vec2 unit = 1.0 / vec2(u_grid.xy), corner = vec2(cell) * unit;
  bool counts = best >= 0 && is_peak(cell, best, most);
#ifdef CENTERS
  vec2 size = vec2(b_outputs[u_parts.y + 2 * n], b_outputs[u_parts.y + 2 * n + 1]) * unit;
  vec2 middle = corner + vec2(b_outputs[u_parts.z + 2 * n], b_outputs[u_parts.z + 2 * n + 1]) * unit;
  b_boxes[n] = vec4(middle - 0.5 * size, middle + 0.5 * size);
#else
  b_boxes[n] = vec4(corner, corner + unit);
#endif
#ifdef LOGISTIC
  most = 1.0 / (1.0 + exp(-most));
#endif
  b_best[n] = vec2(counts ? most : -1.0, float(best - kBackgrounds));
}

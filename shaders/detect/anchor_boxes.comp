// Reads every box of a grid whose cells have a box for each of several anchors (YOLO v2): its corners, and its best class
// with the score of that. A box has the logits of its center in the cell, the logarithms of its size relative to the
// anchor, the logit of any object, and the logits of the classes, of which a softmax makes probabilities.
#include "detect/ssd_decoder.h"
#include "detect/yolo_decoder.h"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };
layout(std430, binding = 1) writeonly buffer Boxes { vec4 b_boxes[]; };  // minimum x and y, maximum x and y
layout(std430, binding = 2) writeonly buffer Best { vec2 b_best[]; };    // score, class
layout(std140, binding = kParamsBinding) uniform Anchors {
  ivec4 u_grid;                      // columns, rows, values per box, boxes per cell
  vec4 u_sizes[kMostCellAnchors / 2];  // width and height of two anchors, in fractions of the input
};

vec2 logistic(vec2 x) { return 1.0 / (1.0 + exp(-x)); }

void main() {
  int n = int(gl_GlobalInvocationID.x);
  if (n >= u_grid.x * u_grid.y * u_grid.w) return;
  int cell = int(uint(n) / uint(u_grid.w)), anchor = n - cell * u_grid.w, first = n * u_grid.z;
  int row = int(uint(cell) / uint(u_grid.x));
  vec2 corner = vec2(cell - row * u_grid.x, row);
  vec4 pair = u_sizes[anchor >> 1];
  vec2 middle = (corner + logistic(vec2(b_outputs[first], b_outputs[first + 1]))) / vec2(u_grid.xy);
  vec2 size = ((anchor & 1) == 0 ? pair.xy : pair.zw) * exp(vec2(b_outputs[first + 2], b_outputs[first + 3]));
  b_boxes[n] = vec4(middle - 0.5 * size, middle + 0.5 * size);

  int scores = first + kBoxValues + 1, classes = u_grid.z - kBoxValues - 1, best = -1;
  float top = -3.0e38, sum = 0.0;
  for (int c = 0; c < classes; ++c) {
    float other = b_outputs[scores + c];
    if (other > top) {  // NaN does not count
      top = other;
      best = c;
    }
  }
  for (int c = 0; c < classes; ++c) sum += exp(b_outputs[scores + c] - top);
  float object = logistic(vec2(b_outputs[scores - 1])).x;
  b_best[n] = vec2(best >= 0 ? object / sum : -1.0, float(best));
}

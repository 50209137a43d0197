// Reads the rows of NanoDet: a score per class, then for each side of the box a distribution over its distance from the
// center of the cell, in strides: logits of 0, 1, and so on. The distance is their mean.
#include "detect/yolo_block.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };
layout(std430, binding = 1) writeonly buffer Boxes { vec4 b_boxes[]; };  // minimum x and y, maximum x and y
layout(std430, binding = 2) writeonly buffer Best { vec2 b_best[]; };    // score, class

float value(int box, int i) { return b_outputs[box * u_steps.x + i * u_steps.y]; }

float distance_of(int box, int side) {
  int first = u_head.x + side * u_steps.w;
  float top = value(box, first);
  for (int i = 1; i < u_steps.w; ++i) top = max(top, value(box, first + i));
  float sum = 0.0, weighted = 0.0;
  for (int i = 0; i < u_steps.w; ++i) {
    float weight = exp(value(box, first + i) - top);
    sum += weight;
    weighted += float(i) * weight;
  }
  return weighted / sum;
}

void main() {
  int box = int(gl_GlobalInvocationID.x);
  if (box >= u_steps.z) return;
  int best = 0;
  float score = -1.0;
  for (int c = 0; c < u_head.x; ++c) {
    float other = value(box, c);
    if (other > score) {
      score = other;
      best = c;
    }
  }
  ivec3 cell = cell_of(box);
  // With four layers (NanoDet-Plus), centers are the corners of cells.
  vec2 middle = vec2(cell.xy) + (u_strides.w > 0 ? 0.0 : 0.5);
  vec4 sides = vec4(distance_of(box, 0), distance_of(box, 1), distance_of(box, 2), distance_of(box, 3));
  vec4 corners = vec4(middle - sides.xy, middle + sides.zw) * float(cell.z);
  b_boxes[box] = corners / vec4(u_size.xyxy);
  b_best[box] = vec2(score, float(best));
}

// Reads every box of a YOLO head: its corners, and its best class with the score of that. The largest center of all boxes
// shows the unit of coordinates: fractions of the model input are near 1, pixels are many.
//   ROTATED   boxes are center, size and an angle
#include "detect/yolo_block.glsl"
#include "gl/compute.h"
#ifdef ROTATED
#include "detect/rotated.glsl"
#endif

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };
#ifdef ROTATED
layout(std430, binding = 1) writeonly buffer Boxes { Rotated b_boxes[]; };  // of no size: no box
#else
layout(std430, binding = 1) writeonly buffer Boxes { vec4 b_boxes[]; };  // minimum x and y, maximum x and y
#endif
layout(std430, binding = 2) writeonly buffer Best { vec2 b_best[]; };    // score, class
layout(std430, binding = 3) buffer Largest { uint b_largest; };          // bits of a float, which are in its order

shared uint s_largest;

float value(int box, int i) { return b_outputs[box * u_steps.x + i * u_steps.y]; }

// Scores that are NaN do not count.
vec2 best_class(int box) {
  if (u_head.z != 0) return vec2(value(box, kBoxValues), round(value(box, kBoxValues + 1)));
  int first = kBoxValues + u_head.y;
  int best = 0;
  float score = -1.0;
  for (int c = 0; c < u_head.x; ++c) {
    float other = value(box, first + c);
    if (other > score) {
      score = other;
      best = c;
    }
  }
  if (u_head.y != 0) score *= value(box, kBoxValues);
  return vec2(score, float(best));
}

// Center and size in pixels, from values relative to the cell of the box.
vec4 from_cell(int box, vec4 v) {
  ivec3 cell = cell_of(box);
  return float(cell.z) * vec4(v.xy + vec2(cell.xy), exp(v.zw));
}

void main() {
  int box = int(gl_GlobalInvocationID.x);
  if (gl_LocalInvocationIndex == 0u) s_largest = 0u;
  barrier();
  if (box < u_steps.z) {
    vec4 v = vec4(value(box, 0), value(box, 1), value(box, 2), value(box, 3));
    if (u_strides.x != 0) v = from_cell(box, v);
#ifdef ROTATED
    vec2 middle = v.xy;
    b_boxes[box] = rotated(v, value(box, u_head.w));
#else
    bool corners = u_head.z != 0;
    vec2 middle = corners ? 0.5 * (v.xy + v.zw) : v.xy;
    b_boxes[box] = corners ? v : vec4(v.xy - 0.5 * v.zw, v.xy + 0.5 * v.zw);
#endif
    b_best[box] = best_class(box);
    float largest = max(middle.x, middle.y);
    if (largest > 0.0 && largest < kFarthest) atomicMax(s_largest, floatBitsToUint(largest));
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u) atomicMax(b_largest, s_largest);
}

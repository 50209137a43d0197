// Computes the region of the best detection as the input of another model: a square around its box, rotated so that the
// line through its first two points is level. Writes it to a FrameBlock (gpu_engine/frame_ref.h), and for the decoder.
#include "detect/detections.glsl"
#include "gl/compute.h"

layout(local_size_x = 1) in;

layout(std430, binding = 0) readonly buffer Found { DETECTIONS; };
layout(std430, binding = 1) writeonly buffer Block { vec4 b_block[9]; };
layout(std430, binding = 2) writeonly buffer Region {
  vec4 b_rows[2];  // of the transform from the region to the upright frame, both in fractions
  vec4 b_region;   // whether there is one; its side as a fraction of the frame width; 0; 0
};
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_block[9];  // the FrameBlock of the whole upright frame
  vec4 u_picture;   // width and height in pixels; side of the region relative to that of the box; 0
};

void main() {
  vec2 size = u_picture.xy, middle = 0.5 * size, along = vec2(1.0, 0.0);
  float side = max(size.x, size.y);
  bool found = detections_count > 0;
  if (found) {
    vec4 box = detections[0].box * size.xyxy;
    middle = 0.5 * (box.xy + box.zw);
    side = u_picture.z * max(box.z - box.x, box.w - box.y);
    vec2 line = (detections[0].points[1] - detections[0].points[0]) * size;
    if (detections[0].points_count > 1 && dot(line, line) > 0.0) along = normalize(line);
  }
  // From fractions of the region to pixels, then to fractions of the frame.
  mat2 turn = side * mat2(along, vec2(-along.y, along.x));
  vec2 corner = middle - turn * vec2(0.5);
  vec4 rows[2];
  rows[0] = vec4(turn[0].x, turn[1].x, corner.x, 0.0) / size.x;
  rows[1] = vec4(turn[0].y, turn[1].y, corner.y, 0.0) / size.y;
  for (int i = 0; i < 2; ++i) {
    vec4 outer = u_block[i];
    b_block[i] = outer.x * rows[0] + outer.y * rows[1] + vec4(0.0, 0.0, outer.z, 0.0);
    b_rows[i] = rows[i];
  }
  for (int i = 2; i < 9; ++i) b_block[i] = u_block[i];
  b_region = vec4(found ? 1.0 : 0.0, side / size.x, 0.0, 0.0);
}

// Shows detections as labeled boxes with points.
//   TRACKED   with the number and the color of their track
#include "detect/detections.glsl"
#include "draw/labels.glsl"
#include "draw/palette.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { DETECTIONS; };
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height and point radius in pixels; 0
  ivec4 u_counts;  // maximum number of detections, 0, 0, 0
};

#ifdef TRACKED
const int kOfBox = kLabelledBox + kNumberTexts;
#else
const int kOfBox = kLabelledBox;
#endif
const int kOfEach = kOfBox + kMaxDetectionPoints;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i >= u_counts.x * kOfEach) return;
  int n = i / kOfEach, part = i % kOfEach;
  if (n >= detections_count) {
    b_primitives[i] = invisible();
    return;
  }
#ifdef TRACKED
  int number = detections[n].id;
  vec4 color = track_color(number);
#else
  int number = 0;
  vec4 color = class_color(detections[n].class_id);
#endif
  if (part < kOfBox) {
    vec4 box = detections[n].box * u_picture.xyxy;
    b_primitives[i] = labelled_box(part, box, number, detections[n].class_id, detections[n].score, color, u_picture.x);
  } else if (part - kOfBox < detections[n].points_count) {
    b_primitives[i] = disc(detections[n].points[part - kOfBox] * u_picture.xy, u_picture.z, color);
  } else {
    b_primitives[i] = invisible();
  }
}

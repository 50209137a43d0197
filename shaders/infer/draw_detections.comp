// Shows detections as labeled boxes with points. One work group.
//   TRACKED   with the number and the color of their track
#include "detect/detections.glsl"
#include "draw/label_places.glsl"
#include "draw/palette.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { DETECTIONS; };
// All outlines, then all plates, and so on: no outline covers a label.
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height and point radius in pixels; 0
  ivec4 u_counts;  // maximum number of detections, 0, 0, 0
};

#ifdef TRACKED
const int kOfBox = kLabelledBox + kNumberTexts;
int number_of(int n) { return detections[n].id; }
vec4 color_of(int n) { return track_color(detections[n].id); }
#else
const int kOfBox = kLabelledBox;
int number_of(int n) { return 0; }
vec4 color_of(int n) { return class_color(detections[n].class_id); }
#endif

vec4 labeled_area(int n) { return detections[n].box * u_picture.xyxy; }
vec2 label_size_of(int n) { return label_size(number_of(n), detections[n].class_id, detections[n].score); }
ivec2 label_owner(int n) { return ivec2(number_of(n), detections[n].class_id); }
bool has_text_below(int n) { return false; }

Primitive rotated_side(int n, int side) {
  vec2 from = detections[n].points[side], to = detections[n].points[(side + 1) & 3];
  return line(from * u_picture.xy, to * u_picture.xy, box_radius(), color_of(n));
}

Primitive part_of(int n, int part) {
  if (detections[n].corners_count > 0) {
    if (part < kRotatedSides) return rotated_side(n, part);
    part -= kRotatedSides - 1;  // no outline
    if (part >= kOfBox) return invisible();
  }
  if (part < kOfBox) {
    return labelled_box(part, labeled_area(n), s_places[n], number_of(n), detections[n].class_id, detections[n].score,
                        color_of(n));
  }
  if (part - kOfBox >= detections[n].points_count) return invisible();
  return disc(detections[n].points[part - kOfBox] * u_picture.xy, u_picture.z, color_of(n));
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int count = min(detections_count, u_counts.x);
  place_labels(lane, count, u_picture.xy);
  int all = u_counts.x * (kOfBox + kMaxDetectionPoints);
  for (int i = lane; i < all; i += int(kGroupInvocations)) {
    int n = int(uint(i) % uint(u_counts.x)), part = int(uint(i) / uint(u_counts.x));
    if (n < count) {
      b_primitives[i] = part_of(n, part);
    } else {
      b_primitives[i] = invisible();
    }
  }
}

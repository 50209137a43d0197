// Shows objects as labeled boxes, with what the model has said of them: lines of text below the top of the box, or
// points. One work group.
#include "detect/detections.glsl"
#include "draw/label_places.glsl"
#include "draw/palette.glsl"
#include "gl/compute.h"
#include "infer/landmarks.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Results {
  DETECTIONS;
  float values[];
};
// All outlines, then all plates, and so on: no outline covers a label.
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height and point radius in pixels; 0
  ivec4 u_counts;  // maximum number of objects; primitives for the values of each; values of each; ObjectValues
  ivec4 u_labels;  // number of labels of objects, which precede those of the model; maximum lines; 0, 0
};

const int kOfBox = kLabelledBox + kNumberTexts;

// Labels of classes without one are those of the model.
int class_of(int n) { return detections[n].class_id < u_labels.x ? detections[n].class_id : -1; }
vec4 color_of(int n) {
  return detections[n].id > 0 ? track_color(detections[n].id) : class_color(detections[n].class_id);
}

vec4 labeled_area(int n) { return detections[n].box * u_picture.xyxy; }
vec2 label_size_of(int n) { return label_size(detections[n].id, class_of(n), detections[n].score); }
ivec2 label_owner(int n) { return ivec2(detections[n].id, detections[n].class_id); }
bool has_text_below(int n) { return u_counts.w == ObjectValues_kClasses && detections[n].values_count > 0; }

// Line `n` of an object, below its box, or inside it at the lower edge of the frame.
Primitive line_of(int object, int n, int part, vec4 box) {
  if (n >= min(detections[object].values_count, u_labels.y)) return invisible();
  int at = object * u_counts.z + 2 * n;
  int label = u_labels.x + int(values[at] + 0.5);
  float all = float(u_labels.y) * b_label_height;
  float width = labelled_score_width(label, values[at + 1]);
  float top = max(min(box.w + max(b_label_height / 16.0, 0.75), u_picture.y - all), 0.0);
  vec2 corner = round(vec2(max(min(box.x, u_picture.x - width), 0.0), top + float(n) * b_label_height));
  return labelled_score(part, corner, 0.0, label, values[at + 1], 0.01, vec4(0.0, 0.0, 0.0, 0.6), vec4(1.0));
}

Primitive point_of(int object, int n, vec4 box, vec4 color) {
  if (n >= detections[object].values_count) return invisible();
  int at = object * u_counts.z + 4 * n;
  vec2 place = vec2(values[at], values[at + 1]);  // in fractions of the box, along its sides
  if (detections[object].corners_count == 0) return disc(mix(box.xy, box.zw, place), u_picture.z, color);
  vec2 corner = detections[object].points[0];
  vec2 across = detections[object].points[1] - corner, down = detections[object].points[3] - corner;
  return disc((corner + place.x * across + place.y * down) * u_picture.xy, u_picture.z, color);
}

Primitive rotated_side(int n, int side) {
  if (detections[n].corners_count == 0) return invisible();
  vec2 from = detections[n].points[side], to = detections[n].points[(side + 1) & 3];
  return line(from * u_picture.xy, to * u_picture.xy, box_radius(), color_of(n));
}

Primitive part_of(int n, int part) {
  vec4 box = labeled_area(n);
  if (part < kRotatedSides) return rotated_side(n, part);
  part -= kRotatedSides;
  if (part == 0 && detections[n].corners_count > 0) return invisible();  // no outline
  if (part < kOfBox) {
    return labelled_box(part, box, s_places[n], detections[n].id, class_of(n), detections[n].score, color_of(n));
  }
  part -= kOfBox;
  if (u_counts.w == ObjectValues_kPoints) return point_of(n, part, box, color_of(n));
  return line_of(n, part / kLabelledScore, part % kLabelledScore, box);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int count = min(detections_count, u_counts.x);
  place_labels(lane, count, u_picture.xy);
  int all = u_counts.x * (kRotatedSides + kOfBox + u_counts.y);
  for (int i = lane; i < all; i += int(kGroupInvocations)) {
    int n = int(uint(i) % uint(u_counts.x)), part = int(uint(i) / uint(u_counts.x));
    if (n < count) {
      b_primitives[i] = part_of(n, part);
    } else {
      b_primitives[i] = invisible();
    }
  }
}

// Shows objects as labeled boxes, with what the model has said of them: lines of text below the top of the box, or
// points.
#include "detect/detections.glsl"
#include "draw/labels.glsl"
#include "draw/palette.glsl"
#include "gl/compute.h"
#include "infer/landmarks.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Results {
  DETECTIONS;
  float values[];
};
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height and point radius in pixels; 0
  ivec4 u_counts;  // maximum number of objects; primitives for the values of each; values of each; ObjectValues
  ivec4 u_labels;  // number of labels of objects, which precede those of the model; maximum lines; 0, 0
};

const int kOfBox = kLabelledBox + kNumberTexts;

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
  return disc(mix(box.xy, box.zw, vec2(values[at], values[at + 1])), u_picture.z, color);
}

void main() {
  int i = int(gl_GlobalInvocationID.x);
  int of_each = kOfBox + u_counts.y;
  if (i >= u_counts.x * of_each) return;
  int object = i / of_each, part = i % of_each;
  if (object >= detections_count) {
    b_primitives[i] = invisible();
    return;
  }
  int number = detections[object].id, class_id = detections[object].class_id;
  vec4 color = number > 0 ? track_color(number) : class_color(class_id);
  vec4 box = detections[object].box * u_picture.xyxy;
  // Labels of classes without one are those of the model.
  if (class_id >= u_labels.x) class_id = -1;
  if (part < kOfBox) {
    b_primitives[i] = labelled_box(part, box, number, class_id, detections[object].score, color, u_picture.x);
    return;
  }
  part -= kOfBox;
  if (u_counts.w == ObjectValues_kPoints) {
    b_primitives[i] = point_of(object, part, box, color);
  } else {
    b_primitives[i] = line_of(object, part / kLabelledScore, part % kLabelledScore, box);
  }
}

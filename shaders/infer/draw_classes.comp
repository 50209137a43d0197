// Shows the classes of the frame as lines of text in its corner, the best one larger than the others.
#include "detect/detections.glsl"
#include "draw/labels.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { DETECTIONS; };
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height and point radius in pixels; size of the other lines relative to the best one
  ivec4 u_counts;  // maximum number of lines, 0, 0, 0
};

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i >= u_counts.x * kLabelledScore) return;
  int n = i / kLabelledScore;
  if (n >= detections_count) {
    b_primitives[i] = invisible();
    return;
  }
  // Text is rasterized for the best line and scaled down for the others.
  float size = n == 0 ? 1.0 : u_picture.w;
  vec2 corner = round(vec2(0.5, n == 0 ? 0.5 : 0.5 + 1.0 / u_picture.w + float(n - 1)) * u_picture.w * b_label_height);
  Primitive part = labelled_score(i % kLabelledScore, corner, 0.0, detections[n].class_id, detections[n].score, 0.01,
                                  vec4(vec3(0.0), 0.6), vec4(1.0));
  part.ends = corner.xyxy + size * (part.ends - corner.xyxy);
  if (part.kind == PrimitiveKind_kText) part.radius /= size;  // texels per pixel
  b_primitives[i] = part;
}

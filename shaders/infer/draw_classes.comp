// The classes of a picture as lines of text in its corner.
#include "detect/detections.glsl"
layout(binding = 0) uniform highp usampler2D u_labels;
#include "draw/labels.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { DETECTIONS; };
layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height; height of a line of text; 0: all in pixels
  ivec4 u_counts;  // lines that there is room for, 0, 0, 0
};

const int kOfEach = 1 + kMostLabelCharacters + kScoreCharacters;

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i >= u_counts.x * kOfEach) return;
  int n = i / kOfEach, character = i % kOfEach - 1;
  b_primitives[i] = invisible();
  if (n >= detections_count) return;
  int class_number = detections[n].class_id;
  float score = detections[n].score, height = u_picture.z, advance = height * 0.5;
  vec2 corner = vec2(advance, advance + float(n) * height);
  if (character < 0) {
    float width = advance * (float(labelled_score_length(class_number, score)) + 0.5);
    b_primitives[i] = rectangle(vec4(corner, corner + vec2(width, height)), 0.01, vec4(vec3(0.0), 0.6));
    return;
  }
  int glyph = labelled_score_glyph(class_number, score, character);
  if (glyph == 0) return;
  vec2 at = corner + vec2(advance * (float(character) + 0.25), 0.0);
  b_primitives[i] = Primitive(vec4(at, at + vec2(advance, height)), vec4(1.0), height * 0.0375, kGlyph, glyph, 0.0);
}

// Shows landmarks as lines along contours, or as discs without contours.
#include "draw/primitive.glsl"
#include "gl/compute.h"
#include "infer/contours.h"
#include "infer/landmarks.glsl"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { LANDMARKS; };
layout(std430, binding = 1) readonly buffer Lines { ivec4 b_lines[]; };  // two landmarks, color, 0
layout(std430, binding = 2) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;    // width, height and line radius in pixels; minimum score
  ivec4 u_counts;    // lines, 0, 0, 0
  vec4 u_colors[kFaceParts];
};

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i >= u_counts.x) return;
  ivec4 ends = b_lines[i];
  bool seen = landmarks_score >= u_picture.w && max(ends.x, ends.y) < landmarks_count;
  vec2 from = landmarks[ends.x].xy * u_picture.xy, to = landmarks[ends.y].xy * u_picture.xy;
  b_primitives[i] = seen ? line(from, to, u_picture.z, u_colors[ends.z]) : invisible();
}

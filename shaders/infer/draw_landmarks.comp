// Shows landmarks as lines along contours and bones, and as discs.
#include "draw/primitive.glsl"
#include "gl/compute.h"
#include "infer/landmarks.glsl"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Found { LANDMARKS; };
layout(std430, binding = 1) readonly buffer Lines { ivec4 b_lines[]; };  // two landmarks (if equal: a disc), color, 0
layout(std430, binding = 2) writeonly buffer Primitives { Primitive b_primitives[]; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_picture;  // width, height, line radius and disc radius in pixels
  vec4 u_score;    // minimum score, 0, 0, 0
  ivec4 u_counts;  // lines per object, maximum number of objects, 0, 0
  vec4 u_colors[kLandmarkParts];
};

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i >= u_counts.x * u_counts.y) return;
  uint object = uint(i) / uint(u_counts.x);
  ivec4 ends = b_lines[uint(i) % uint(u_counts.x)];
  bool seen = int(object) < objects_count && objects[object].score >= u_score.x &&
              max(ends.x, ends.y) < objects[object].count;
  vec2 from = objects[object].points[ends.x].xy * u_picture.xy, to = objects[object].points[ends.y].xy * u_picture.xy;
  float radius = ends.x == ends.y ? u_picture.w : u_picture.z;
  b_primitives[i] = seen ? line(from, to, radius, u_colors[ends.z]) : invisible();
}

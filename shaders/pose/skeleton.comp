// Draws people as lines and discs, without points that the model is not confident of.
#include "draw/palette.glsl"
#include "draw/primitive.glsl"
#include "gl/compute.h"
#include "pose/persons.glsl"
#include "pose/pose_estimator.h"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Persons { PERSONS; };
layout(std430, binding = 1) writeonly buffer Primitives { Primitive primitives[]; };  // per person: bones, points
layout(std140, binding = kParamsBinding) uniform Style {
  vec4 u_line_color;  // A = 0: by the track ID
  vec4 u_point_color;
  vec4 u_sizes;       // half the line width and the point radius, in pixels; the frame width and height
  vec4 u_thresholds;  // of visibility and presence
  ivec4 u_counts;     // bones, points
  ivec4 u_bones[kBones / 2];  // two bones each, as point indices
};

void main() {
  int n = int(gl_GlobalInvocationID.x);
  int each = u_counts.x + u_counts.y;
  if (n >= kMaxPersons * each) return;
  int person = n / each, part = n % each;
  bool is_bone = part < u_counts.x;
  ivec2 ends = ivec2(part - u_counts.x);
  if (is_bone) {
    ivec4 bones = u_bones[part / 2];
    ends = part % 2 == 0 ? bones.xy : bones.zw;
  }
  primitives[n] = invisible();
  if (person >= persons_count) return;
  KeyPoint a = persons[person].points[ends.x], b = persons[person].points[ends.y];
  if (min(a.visibility, b.visibility) < u_thresholds.x || min(a.presence, b.presence) < u_thresholds.y) return;
  vec2 from = vec2(a.x, a.y) * u_sizes.zw, to = vec2(b.x, b.y) * u_sizes.zw;
  vec4 color = u_line_color.a > 0.0 ? u_line_color : track_color(persons[person].id);
  primitives[n] = is_bone ? line(from, to, u_sizes.x, color) : disc(from, u_sizes.y, u_point_color);
}

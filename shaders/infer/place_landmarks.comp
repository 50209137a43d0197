// Converts model landmarks from input pixels to coordinates in the upright frame.
//   REGION   the input was a region found by infer/region.comp
#include "gl/compute.h"
#include "infer/landmarks.glsl"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Points { float b_points[]; };
layout(std430, binding = 1) readonly buffer Presence { float b_presence[]; };
layout(std430, binding = 2) writeonly buffer Results { LANDMARKS; };
#ifdef REGION
layout(std430, binding = 3) readonly buffer Region {
  vec4 b_rows[2];
  vec4 b_region;
};
#endif
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_counts;   // landmarks, values per landmark, whether there is a presence, whether that is a logit
  vec4 u_size;      // of the model input in pixels, 0, 0
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame
};

void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i == 0) {
    float presence = u_counts.z != 0 ? b_presence[0] : 1.0;
    float score = u_counts.w != 0 ? 1.0 / (1.0 + exp(-presence)) : presence;
#ifdef REGION
    score = b_region.x > 0.0 ? score : 0.0;
#endif
    landmarks_score = score;
    landmarks_count = u_counts.x;
  }
  if (i >= u_counts.x) return;
  int at = i * u_counts.y;
  vec3 place = vec3(vec2(b_points[at], b_points[at + 1]) / u_size.xy, 1.0);
#ifdef REGION
  vec4 row_x = b_rows[0], row_y = b_rows[1];
  float side = b_region.y;
#else
  vec4 row_x = u_place[0], row_y = u_place[1];
  float side = length(vec2(row_x.x, row_y.x));
#endif
  // Depth has the same unit as x.
  float z = u_counts.y > 2 ? b_points[at + 2] / u_size.x * side : 0.0;
  landmarks[i] = vec4(dot(row_x.xyz, place), dot(row_y.xyz, place), z, 0.0);
}

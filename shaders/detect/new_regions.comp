// Converts detections to regions, unless the object is already tracked.
#include "detect/detections.glsl"
#include "detect/regions.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer Detections { DETECTIONS; };
layout(std430, binding = 1) readonly buffer Flag { uint detector_ran; };
layout(std430, binding = 2) buffer State { REGIONS; };

const float kTurn = 6.28318530718;

bool is_followed(vec4 square) {
  bool found = false;
  for (int i = 0; i < u_sizes.x; ++i) {
    found = found || (regions[i].is_followed != 0 && distance_of(square, regions[i].square) < u_rule.w);
  }
  return found;
}

vec4 square_of(int n) {
  vec2 from = detections[n].points[u_points.x] * u_frame.xy;
  vec2 line = detections[n].points[u_points.y] * u_frame.xy - from;
  bool directed = detections[n].points_count > max(u_points.x, u_points.y) && dot(line, line) > 0.0;
  float rotation = directed ? atan(line.y, line.x) - u_rule.z : 0.0;
  rotation -= kTurn * round(rotation / kTurn);
  if (u_points.z != 0) return square_around(from, vec2(length(line)), rotation, u_rule.x, u_rule.y);
  vec4 box = detections[n].box * u_frame.xyxy;
  return square_around(0.5 * (box.xy + box.zw), box.zw - box.xy, rotation, u_rule.x, u_rule.y);
}

void main() {
  int count = detector_ran != 0u ? min(detections_count, kMaxDetections) : 0;
  int free = 0;
  for (int n = 0; n < count && free < u_sizes.x; ++n) {
    while (free < u_sizes.x && regions[free].is_followed != 0) ++free;
    vec4 square = square_of(n);
    if (free < u_sizes.x && square.z >= 1.0 && !is_followed(square)) {
      regions[free].square = square;
      regions[free].is_new = 1;
      regions[free].is_followed = 1;
      regions[free].id = ++last_id;
    }
  }
}

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
  vec4 head = head_of(square, u_score.y, u_score.z);
  for (int i = 0; i < u_sizes.x; ++i) {
    bool is_same = are_same(square, head, regions[i].square, regions[i].head, u_rule.w);
    found = found || (regions[i].is_followed != 0 && is_same);
  }
  return found;
}

// To pixels of the frame.
vec2 place_of(vec2 detected) {
  return u_points.w != 0 ? look.xy + (detected - 0.5) * look.z : detected * u_frame.xy;
}

vec4 square_of(int n) {
  vec2 from = place_of(detections[n].points[u_points.x]);
  vec2 line = place_of(detections[n].points[u_points.y]) - from;
  bool directed = detections[n].points_count > max(u_points.x, u_points.y) && dot(line, line) > 0.0;
  float rotation = directed ? atan(line.y, line.x) - u_rule.z : 0.0;
  rotation -= kTurn * round(rotation / kTurn);
  if (u_points.z != 0) return square_around(from, vec2(length(line)), rotation, u_rule.x, u_rule.y);
  vec4 box = vec4(place_of(detections[n].box.xy), place_of(detections[n].box.zw));
  return square_around(0.5 * (box.xy + box.zw), box.zw - box.xy, rotation, u_rule.x, u_rule.y);
}

// People who partly hide others are found with high scores, and the others with lower ones.
bool is_certain(int n, bool in_company) {
  bool is_whole = look.z >= max(u_frame.x, u_frame.y);
  return detections[n].score >= u_score.w || (in_company && is_whole);
}

// The slot of a hidden person who appears again; otherwise a free one, if possible that of nobody. -1: all are in use.
int slot_for(vec4 head) {
  int best = -1, least = 3;
  for (int i = 0; i < u_sizes.x; ++i) {
    if (regions[i].is_followed != 0) continue;
    bool is_hidden = regions[i].motion.z > 0.0;
    int order = !is_hidden ? 1 : are_near(head, regions[i].head, 1.5) ? 0 : 2;
    if (order >= least) continue;
    least = order;
    best = i;
  }
  return best;
}

void main() {
  int count = detector_ran != 0u ? min(detections_count, kMaxDetections) : 0;
  bool in_company = count > 0 && detections[0].score >= u_score.w;
  for (int i = 0; i < u_sizes.x; ++i) in_company = in_company || regions[i].is_followed != 0;
  for (int n = 0; n < count; ++n) {
    vec4 square = square_of(n);
    if (square.z < 1.0 || !is_certain(n, in_company) || is_followed(square)) continue;
    vec4 head = head_of(square, u_score.y, u_score.z);
    int free = slot_for(head);
    if (free < 0) break;
    bool was_hidden = regions[free].motion.z > 0.0 && are_near(head, regions[free].head, 1.5);
    if (!was_hidden) {
      regions[free].id = ++last_id;
      regions[free].motion = vec4(0.0);
    }
    regions[free].motion.z = 0.0;
    regions[free].square = square;
    regions[free].head = head;
    regions[free].is_new = 1;
    regions[free].is_followed = 1;
  }
}

// Decodes rows of people: MoveNet for whole frames, and the poses of PosenetDecoderOp. Each point has y and x, and a score
// beside them or in another output; each person has a score, or the mean of the scores of the points.
#include "gl/compute.h"
#include "pose/found.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Points { float b_points[]; };
layout(std430, binding = 1) readonly buffer Scores { float b_scores[]; };
layout(std430, binding = 2) readonly buffer People { float b_people[]; };
layout(std430, binding = 3) writeonly buffer Found { PERSONS; } found;
layout(std140, binding = kParamsBinding) uniform Decoder {
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame; both in fractions
  vec4 u_score;     // minimum score of a person; offset of coordinates, then factors of x and y to fractions
  ivec4 u_layout;   // people, points per person, 0, maximum number of people
  ivec4 u_steps;    // between people and between points in b_points, then in b_scores
  ivec4 u_first;    // of b_scores, of b_people; step in b_people, 0 for the mean
};

float score_of(int person, int point) { return b_scores[u_first.x + person * u_steps.z + point * u_steps.w]; }

// Scores that are NaN are the lowest.
float score_of(int person) {
  float score = 0.0;
  if (u_first.z != 0) {
    score = b_people[u_first.y + person * u_first.z];
  } else {
    for (int n = 0; n < u_layout.y; ++n) score += score_of(person, n) / float(u_layout.y);
  }
  return score > -1.0 ? score : -1.0;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int slots = min(u_layout.x, kMaxPersons);
  if (lane == 0) found.persons_count = slots;
  if (lane >= u_layout.x) return;
  float score = score_of(lane);
  int better = 0;  // the most likely ones stay, up to the maximum number
  for (int i = 0; i < u_layout.x; ++i) {
    float other = score_of(i);
    better += other > score || (other == score && i < lane) ? 1 : 0;
  }
  int slot = u_layout.x > slots ? better : lane;
  if (slot >= slots) return;
  for (int n = 0; n < u_layout.y; ++n) {
    int at = lane * u_steps.x + n * u_steps.y;
    vec2 place = (vec2(b_points[at + 1], b_points[at]) + u_score.y) * u_score.zw;
    found.persons[slot].points[n] = flat_point(to_upright(u_place, place), score_of(lane, n));
  }
  found.persons[slot].score = score;
  found.persons[slot].rotation = 0.0;
  found.persons[slot].points_count = score >= u_score.x && better < u_layout.w ? u_layout.y : 0;
}

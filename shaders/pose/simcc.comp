// One person: each point is in the column and in the row with its highest score (SimCC, as in RTMPose); the first of
// equals wins. The lower one of both scores counts.
#include "gl/compute.h"
#include "pose/found.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Columns { float columns[]; };  // scores by point and column
layout(std430, binding = 1) readonly buffer Rows { float rows[]; };        // scores by point and row
layout(std430, binding = 2) writeonly buffer Found { PERSONS; } found;
layout(std140, binding = kParamsBinding) uniform Decoder {
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame; both in fractions
  vec4 u_score;     // x: minimum score of a person; yz: width and height of the model input in pixels
  ivec4 u_layout;   // points, columns, rows; 0
};

shared float s_score[kGroupInvocations];
shared int s_at[kGroupInvocations];

float score_at(bool is_row, int i) { return is_row ? rows[i] : columns[i]; }

// Its position and score, for every lane.
vec2 best_of(int lane, bool is_row, int point) {
  int count = is_row ? u_layout.z : u_layout.y;
  int first = point * count;
  s_score[lane] = -1.0;
  s_at[lane] = 0;
  for (int i = lane; i < count; i += int(kGroupInvocations)) {
    float score = score_at(is_row, first + i);
    if (score > s_score[lane]) {  // not NaN
      s_score[lane] = score;
      s_at[lane] = i;
    }
  }
  barrier();
  for (int half_lanes = int(kGroupInvocations) / 2; half_lanes > 0; half_lanes /= 2) {
    if (lane < half_lanes) {
      int other = lane + half_lanes;
      bool wins = s_score[other] > s_score[lane] || (s_score[other] == s_score[lane] && s_at[other] < s_at[lane]);
      if (wins) {
        s_score[lane] = s_score[other];
        s_at[lane] = s_at[other];
      }
    }
    barrier();
  }
  vec2 best = vec2(float(s_at[0]), s_score[0]);
  barrier();
  return best;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  float sum = 0.0;
  for (int point = 0; point < u_layout.x; ++point) {
    vec2 x = best_of(lane, false, point), y = best_of(lane, true, point);
    float score = clamp(min(x.y, y.y), 0.0, 1.0);
    sum += score;
    if (lane != 0) continue;
    // Positions are in pixels, whose centers are integers.
    vec2 pixel = vec2(x.x, y.x) / vec2(u_layout.yz) * u_score.yz;
    found.persons[0].points[point] = flat_point(to_upright(u_place, (pixel + 0.5) / u_score.yz), score);
  }
  if (lane != 0) return;
  float score = sum / float(u_layout.x);
  found.persons_count = 1;
  found.persons[0].score = score;
  found.persons[0].rotation = 0.0;
  found.persons[0].points_count = score >= u_score.x ? u_layout.x : 0;
}

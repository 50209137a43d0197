// One person: places each point in the cell with its highest score. The first of equals wins.
#include "gl/compute.h"
#include "pose/cells.glsl"
#include "pose/found.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Cells { vec4 cells[]; };
layout(std430, binding = 1) writeonly buffer Found { PERSONS; } found;

shared float s_score[kGroupInvocations];
shared int s_cell[kGroupInvocations];

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int count = u_grid.x * u_grid.y;
  float sum = 0.0;
  for (int point = 0; point < u_grid.z; ++point) {
    int best = min(lane, count - 1);
    for (int cell = lane; cell < count; cell += kGroupInvocations) {
      if (cells[cell * u_grid.z + point].z > cells[best * u_grid.z + point].z) best = cell;
    }
    s_cell[lane] = best;
    s_score[lane] = cells[best * u_grid.z + point].z;
    barrier();
    for (int half_lanes = kGroupInvocations / 2; half_lanes > 0; half_lanes /= 2) {
      if (lane < half_lanes) {
        int other = lane + half_lanes;
        bool wins = s_score[other] > s_score[lane] || (s_score[other] == s_score[lane] && s_cell[other] < s_cell[lane]);
        if (wins) {
          s_score[lane] = s_score[other];
          s_cell[lane] = s_cell[other];
        }
      }
      barrier();
    }
    if (lane == 0) {
      vec4 cell = cells[s_cell[0] * u_grid.z + point];
      found.persons[0].points[point] = flat_point(to_upright(u_place, to_fractions(cell.xy)), cell.z);
      sum += cell.z;
    }
    barrier();
  }
  if (lane != 0) return;
  float score = sum / float(u_grid.z);
  found.persons_count = 1;
  found.persons[0].score = score;
  found.persons[0].rotation = 0.0;
  found.persons[0].points_count = score >= u_score.x ? u_grid.z : 0;
}

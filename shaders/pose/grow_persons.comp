// Several people, as in PersonLab (Papandreou et al., 2018) and PoseNet: starts at the most likely point that belongs
// to nobody yet, and follows the skeleton by the displacements that the model predicts there, correcting each step by
// the short offsets where it ends. The score of a person is the mean over the points that do not belong to earlier
// people.
#include "gl/compute.h"
#include "pose/cells.glsl"
#include "pose/found.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Cells { vec4 cells[]; };
layout(std430, binding = 1) readonly buffer Forward { float forward[]; };
#ifdef BOTH_WAYS  // both directions are in one tensor, backward after forward
#define BACKWARD forward
const int kChannels = 64, kBackwardChannel = 32;
#else
layout(std430, binding = 2) readonly buffer Backward { float backward[]; };
#define BACKWARD backward
const int kChannels = 32, kBackwardChannel = 0;
#endif
layout(std430, binding = 3) writeonly buffer Found { PERSONS; } found;

const int kEdges = 16, kPoints = 17, kRefinements = 2;
// From parent to child, by COCO indices.
const ivec2 kTree[kEdges] =
    ivec2[](ivec2(0, 1), ivec2(1, 3), ivec2(0, 2), ivec2(2, 4), ivec2(0, 5), ivec2(5, 7), ivec2(7, 9), ivec2(5, 11),
            ivec2(11, 13), ivec2(13, 15), ivec2(0, 6), ivec2(6, 8), ivec2(8, 10), ivec2(6, 12), ivec2(12, 14),
            ivec2(14, 16));

shared float s_score[kGroupInvocations];
shared int s_cell[kGroupInvocations];
shared vec2 s_pixels[kMaxPersons * kPoints];  // of the people so far
shared vec3 s_points[kPoints];                // of the next person: pixel and score; a score below 0 is unknown yet

ivec2 nearest_cell(vec2 pixel) {
  return clamp(ivec2(floor(pixel / u_input.zw + 0.5)), ivec2(0), u_grid.xy - 1);
}

// Whether a point belongs to one of the first `persons` people.
bool is_taken(int point, vec2 pixel, int persons) {
  bool taken = false;
  for (int i = 0; i < persons; ++i) {
    vec2 d = pixel - s_pixels[i * kPoints + point];
    taken = taken || dot(d, d) <= u_score.z;
  }
  return taken;
}

vec3 step_to(int target, vec2 displaced) {
  vec2 pixel = displaced;
  for (int i = 0; i < kRefinements; ++i) pixel = cells[cell_index(nearest_cell(pixel), target)].xy;
  return vec3(pixel, cells[cell_index(nearest_cell(pixel), target)].z);
}

void grow(int root) {
  for (int i = 0; i < kPoints; ++i) s_points[i].z = -1.0;
  s_points[root % kPoints] = cells[root].xyz;
  for (int edge = kEdges - 1; edge >= 0; --edge) {
    int source = kTree[edge].y, target = kTree[edge].x;
    if (s_points[source].z < 0.0 || s_points[target].z >= 0.0) continue;
    ivec2 cell = nearest_cell(s_points[source].xy);
    int at = (cell.y * u_grid.x + cell.x) * kChannels + kBackwardChannel + edge;
    s_points[target] = step_to(target, s_points[source].xy + vec2(BACKWARD[at + kEdges], BACKWARD[at]));
  }
  for (int edge = 0; edge < kEdges; ++edge) {
    int source = kTree[edge].x, target = kTree[edge].y;
    if (s_points[source].z < 0.0 || s_points[target].z >= 0.0) continue;
    ivec2 cell = nearest_cell(s_points[source].xy);
    int at = (cell.y * u_grid.x + cell.x) * kChannels + edge;
    s_points[target] = step_to(target, s_points[source].xy + vec2(forward[at + kEdges], forward[at]));
  }
}

void store(int person) {
  float sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    vec3 point = s_points[i];
    if (!is_taken(i, point.xy, person)) sum += point.z;
    found.persons[person].points[i] = flat_point(to_upright(u_place, to_fractions(point.xy)), point.z);
  }
  for (int i = 0; i < kPoints; ++i) s_pixels[person * kPoints + i] = s_points[i].xy;
  float score = sum / float(kPoints);
  found.persons[person].score = score;
  found.persons[person].rotation = 0.0;
  found.persons[person].points_count = score >= u_score.x ? kPoints : 0;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int count = u_grid.x * u_grid.y * kPoints;
  if (lane == 0) found.persons_count = 0;
  for (int person = 0; person < u_grid.w; ++person) {
    float best_score = 0.0;
    int best_cell = -1;
    for (int n = lane; n < count; n += kGroupInvocations) {
      vec4 cell = cells[n];
      bool wins = cell.w >= u_score.y && cell.w > best_score && !is_taken(n % kPoints, cell.xy, person);
      best_score = wins ? cell.w : best_score;
      best_cell = wins ? n : best_cell;
    }
    s_score[lane] = best_score;
    s_cell[lane] = best_cell;
    barrier();
    if (lane == 0) {
      int best = 0;
      for (int i = 1; i < kGroupInvocations; ++i) {
        bool wins = s_score[i] > s_score[best] || (s_score[i] == s_score[best] && s_cell[i] < s_cell[best]);
        if (s_cell[i] >= 0 && wins) best = i;
      }
      if (s_cell[best] >= 0) {
        grow(s_cell[best]);
        store(person);
        found.persons_count = person + 1;
      }
    }
    barrier();
  }
}

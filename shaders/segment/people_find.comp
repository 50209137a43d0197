// Finds connected regions of foreground cells, and which of them is the main person: the one of the previous mask, or
// else the largest and most central one. One work group.
#include "gl/compute.h"
#include "segment/boxes.glsl"
#include "segment/noise.glsl"
#include "segment/people.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = kPeopleBlock) buffer People { PEOPLE; };
layout(std430, binding = kPeopleNoiseBlock) readonly buffer Noise { NOISE; };
layout(rgba8, binding = 0) writeonly uniform highp image2D u_cells;

// Labels, and a flag of cells that the main person had before others touched it.
const uint kMain = 1u, kOther = 2u, kShape = 4u;
const uint kFar = 0xFFFFu, kEmpty = 0xFFFFFFFFu;

// Of each cell, in the upper half the number of its region: that of the region's first cell. In the lower half, the
// label of the nearest labeled cell, and four times its distance. kEmpty: not foreground.
shared uint s_cells[kPeopleCells];
// Of each region, by its number: the area in the lower half, and what decides whether it is the main person in the
// upper one.
shared uint s_totals[kPeopleCells];
shared vec4 s_partial[kGroupInvocations];
shared uint s_changed, s_any_main, s_best;

int columns() { return int(people_grid.x); }
int rows() { return int(people_grid.y); }
int cells() { return columns() * rows(); }

// Whether there is more foreground on both sides, in up to two cells: the gap between people who stand side by side.
bool is_gap(int n) {
  int column = n % columns();
  float left = 0.0, right = 0.0;
  for (int i = 1; i <= 2; ++i) {
    if (column >= i) left = max(left, people_shares[n - i]);
    if (column + i < columns()) right = max(right, people_shares[n + i]);
  }
  return min(left, right) > people_shares[n] + kPeopleGap;
}

bool is_foreground(int n) { return people_shares[n] >= kPeopleShare && !is_gap(n); }
uint area_of(int n) { return uint(people_shares[n] * float(kPeopleUnits) + 0.5); }

// Spreads regions and labels along one line of cells, both ways.
void sweep(int first, int stride, int count, int round) {
  for (int way = 0; way < 2; ++way) {
    uint region = kFar, label = kFar;
    for (int i = 0; i < count; ++i) {
      int n = first + stride * (way == 0 ? i : count - 1 - i);
      uint cell = s_cells[n];
      if (cell == kEmpty) {
        region = label = kFar;
        continue;
      }
      region = min(region, cell >> 16u);
      label = min(min(label + 4u, kFar), cell & kFar);
      uint next = (region << 16u) | label;
      if (next == cell) continue;
      s_cells[n] = next;
      atomicMax(s_changed, uint(round + 1));
    }
  }
}

// Spreads regions and labels over all cells. Shapes that wind more often than there are rounds count as several.
void flood(int lane) {
  if (lane == 0) s_changed = 0u;
  for (int round = 0; round < kPeopleRounds; ++round) {
    barrier();
    bool goes_on = s_changed == uint(round);
    barrier();
    if (goes_on && lane < rows()) sweep(lane * columns(), 1, columns(), round);
    barrier();
    if (goes_on && lane < columns()) sweep(lane, columns(), rows(), round);
  }
  barrier();
}

uint label_at(ivec2 cell) {
  bool inside = all(greaterThanEqual(cell, ivec2(0))) && cell.x < columns() && cell.y < rows();
  return inside ? people_labels[cell.y * columns() + cell.x] : 0u;
}

// The label that a cell had in the previous mask, from which the main person has moved by `shift`.
uint previous_label(int n, ivec2 shift) {
  ivec2 before = ivec2(n % columns(), n / columns()) - shift;
  if ((label_at(before) & 3u) == kMain) return kMain;
  return (people_labels[n] & 3u) == kOther ? kOther : 0u;
}

// Whether the main person had this cell, and whether it had one of its neighbors: 0 or 1.
uvec2 shape_around(int n, ivec2 shift) {
  ivec2 before = ivec2(n % columns(), n / columns()) - shift;
  uint labels = 0u;
  for (int i = 0; i < 9; ++i) labels |= label_at(before + ivec2(i % 3, i / 3) - 1);
  return (uvec2(label_at(before), labels) & kShape) / kShape;
}

float centrality(int n) {
  vec2 at = (vec2(n % columns(), n / columns()) + 0.5) / people_grid.xy - 0.5;
  return 1.0 - 0.8 * min(length(at), 0.5) / 0.5;
}

vec4 union_of_lanes(int lane, vec4 box) {
  s_partial[lane] = box;
  barrier();
  box = kNowhere;
  for (int i = 0; i < int(kGroupInvocations); ++i) box = united(box, s_partial[i]);
  barrier();
  return box;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  bool begins = people_scene.x > 0.5 || noise_same < 0.5;
  float lost = begins ? kPeopleForever : people_lost;
  vec2 moved = begins ? vec2(0.0) : people_motion.zw + people_motion.xy;
  ivec2 shift = ivec2(floor(moved + 0.5));
  if (lane == 0) s_any_main = s_best = 0u;
  barrier();
  for (int n = lane; n < cells(); n += int(kGroupInvocations)) {
    uint label = begins ? 0u : previous_label(n, shift);
    bool counts = is_foreground(n);
    s_cells[n] = counts ? (uint(n) << 16u) | (label == 0u ? kFar : label) : kEmpty;
    s_totals[n] = 0u;
    if (counts && label == kMain) atomicOr(s_any_main, 1u);
  }
  flood(lane);

  bool chooses = s_any_main == 0u;
  for (int n = lane; n < cells(); n += int(kGroupInvocations)) {
    uint cell = s_cells[n];
    if (cell == kEmpty) continue;
    uint units = area_of(n);
    uint score = chooses ? uint(float(units) * centrality(n) + 0.5) : (cell & 3u) == kMain ? units : 0u;
    atomicAdd(s_totals[cell >> 16u], (score << 16u) | units);
  }
  barrier();
  for (int n = lane; n < cells(); n += int(kGroupInvocations)) {
    bool counts = (s_totals[n] & kFar) >= uint(kPeopleLeastUnits);
    if (counts) atomicMax(s_best, (s_totals[n] & 0xFFFF0000u) | (kFar - uint(n)));
  }
  barrier();
  // Who was there a moment ago may only be hidden.
  bool found = (s_best >> 16u) != 0u && (!chooses || lost > kPeopleWait);
  uint best = kFar - (s_best & kFar);
  uint best_area = found ? s_totals[best] & kFar : 0u, best_score = s_best >> 16u;
  // Little of another label in the region is a remainder of someone who was in front of it.
  bool mixed = found && !chooses && float(best_area - best_score) > kPeopleMixed * float(best_area);
  bool rests = !begins && length(people_motion.xy) < kPeopleRest;
  float crossing = !rests ? 0.0 : mixed ? kPeopleCrossing : max(people_crossing - people_grid.w, 0.0);

  // Of the cells of this lane, one bit each: where the main person was before the crossing, and around that.
  uint had = 0u, near = 0u;
  for (int n = lane, i = 0; crossing > 0.0 && n < cells(); n += int(kGroupInvocations), ++i) {
    uvec2 shape = shape_around(n, shift);
    had |= shape.x << uint(i);
    near |= shape.y << uint(i);
  }
  vec4 sums = vec4(0.0);
  memoryBarrierBuffer();
  barrier();  // all lanes have read the previous labels
  for (int n = lane, i = 0; n < cells(); n += int(kGroupInvocations), ++i) {
    uint cell = s_cells[n], label = 0u;
    bool emerges = false, shape = ((had >> uint(i)) & 1u) != 0u;
    if (cell != kEmpty) {
      bool is_main = found && (cell >> 16u) == best && (!mixed || (cell & 3u) == kMain);
      // Whoever comes out on the other side of the main person is somebody else. Nothing else of it lasts longer.
      emerges = is_main && crossing > 0.0 && ((near >> uint(i)) & 1u) == 0u;
      is_main = is_main && !emerges;
      shape = crossing > 0.0 ? shape : is_main;
      label = is_main ? kMain : kOther;
      // Otherwise a hand or a shred, of whoever is near.
      if ((s_totals[cell >> 16u] & kFar) < uint(kPeopleLeastUnits)) label = 0u;
      if (is_main) sums += people_shares[n] * vec4(n % columns(), n / columns(), 1.0, 0.0);
    }
    if (found || lost > kPeopleWait) people_labels[n] = (emerges ? 0u : label) | (shape ? kShape : 0u);
    s_cells[n] = label == 0u ? kFar : label;
  }
  s_partial[lane] = sums;
  flood(lane);
  sums = vec4(0.0);
  for (int i = 0; i < int(kGroupInvocations); ++i) sums += s_partial[i];
  barrier();
  vec4 box = kNowhere, group = kNowhere;
  for (int n = lane; n < cells(); n += int(kGroupInvocations)) {
    // The label in the two lowest bits; the distance above them.
    bool is_near = s_cells[n] != kFar && s_cells[n] >> 2u <= uint(kPeopleReach);
    bool is_main = is_near && (s_cells[n] & 3u) == kMain;
    if (is_near) group = united(group, people_boxes[n]);
    if (is_main) box = united(box, people_boxes[n]);
    imageStore(u_cells, ivec2(n % columns(), n / columns()), vec4(is_main || s_cells[n] == kFar ? 1.0 : 0.0));
  }
  box = union_of_lanes(lane, box);
  group = union_of_lanes(lane, group);
  if (lane != 0) return;
  vec2 center = sums.xy / max(sums.z, 1e-6);
  bool stays = found && !chooses && lost == 0.0;
  vec2 motion = stays ? people_motion.xy : vec2(0.0);
  // Where people touch, the center moves by more than they do.
  float share = mixed ? kPeopleMixedShare : kPeopleMotionShare;
  if (stays) motion = mix(motion, clamp(center - people_center, -2.0, 2.0), share);
  people_motion = vec4(motion, stays ? moved - vec2(shift) : vec2(0.0));
  if (found) people_center = center;
  people_crossing = crossing;
  people_lost = found ? 0.0 : min(lost + people_grid.w, kPeopleForever);
  people_main = box;
  people_group = group;
}

// Places of the labels of boxes, so that no label covers another one. In the order of the detections, a label takes the
// first place that is in the frame and free: above the box, inside it at the top, below it, or inside it at the bottom, at its
// left or right edge. A label without such a place is not shown.
//
// The labels of the previous frame come first, in the same order, and keep their places: a better one must be free with a
// margin. For one work group; the outcome depends only on the detections and on the previous labels.
#include "detect/detections.h"
#include "draw/labels.glsl"
#include "gl/compute.h"

struct PlacedLabel {
  vec4 box;  // pixels
  int id;    // track ID; 0: not tracked
  int class_id;
  int place;  // -1: the label is not shown
  int unused;
};
layout(std430, binding = kLabelPlacesBinding) buffer LabelPlaces {
  int b_placed_count;
  int b_placed_unused[3];
  PlacedLabel b_placed[kMaxDetections];
};

// The including shader defines these, for detection n.
vec4 labeled_area(int n);      // box in pixels
vec2 label_size_of(int n);     // width 0: no label
ivec2 label_owner(int n);      // track ID or 0, class
bool has_text_below(int n);    // below its box

const float kSameBox = 0.3;  // intersection over union with the box of the previous frame, without tracks
const int kNewLabel = -2;
const float kPlaceMargin = 0.5;  // line heights
const uint kAllPlaces = (1u << uint(kLabelPlaces)) - 1u;
const uint kPlacesBelow = 0x44u;

shared vec4 s_labels[kMaxDetections];  // areas by order; empty: not shown
shared vec3 s_places[kMaxDetections];  // as of label_place(), by detection
shared int s_order[kMaxDetections];
shared int s_key[kMaxDetections];  // of the order
shared int s_before[kMaxDetections];  // place in the previous frame
shared uint s_blocked;

float overlap_of(vec4 a, vec4 b) {
  vec2 size_a = a.zw - a.xy, size_b = b.zw - b.xy;
  vec2 common_size = max(min(a.zw, b.zw) - max(a.xy, b.xy), 0.0);
  float common_area = common_size.x * common_size.y;
  float whole = size_a.x * size_a.y + size_b.x * size_b.y - common_area;
  return whole > 0.0 ? common_area / whole : 0.0;
}

// The label of the previous frame; -1: none.
int previous_label(int n, int previous_count) {
  ivec2 owner = label_owner(n);
  vec4 area = labeled_area(n);
  int found = -1;
  float most = kSameBox;
  for (int i = 0; i < previous_count; ++i) {
    if (b_placed[i].id != owner.x || b_placed[i].class_id != owner.y) continue;
    float same = owner.x > 0 ? 1.0 : overlap_of(area, b_placed[i].box);
    if (same <= most) continue;
    most = same;
    found = i;
  }
  return found;
}

// Bits of the places of a label that earlier ones block, of those that this invocation compares.
uint blocked_by(int lane, int earlier, vec4 area, vec2 size, int before, vec2 picture) {
  uint blocked = 0u;
  int stays = before == kNewLabel ? 0 : before < 0 ? kLabelPlaces : before;
  for (int i = lane; i < earlier; i += int(kGroupInvocations)) {
    vec4 other = s_labels[i];
    if (other.z <= other.x) continue;
    for (int place = 0; place < kLabelPlaces; ++place) {
      vec2 corner = label_place(place, area, size, picture).xy;
      float margin = place < stays ? kPlaceMargin * size.y : 0.0;
      bool covers = all(lessThan(corner - margin, other.zw)) && all(greaterThan(corner + size + margin, other.xy));
      blocked |= covers ? 1u << uint(place) : 0u;
    }
  }
  return blocked;
}

uint outside_frame(vec4 area, vec2 size, vec2 picture) {
  uint blocked = 0u;
  for (int place = 0; place < kLabelPlaces; ++place) {
    if (label_place(place, area, size, picture).z == 0.0) blocked |= 1u << uint(place);
  }
  return blocked;
}

// Fills s_places for so many detections. All invocations of the group call it.
void place_labels(int lane, int count, vec2 picture) {
  int previous_count = min(b_placed_count, kMaxDetections);
  for (int n = lane; n < count; n += int(kGroupInvocations)) {
    int previous = previous_label(n, previous_count);
    s_key[n] = previous >= 0 ? previous : kMaxDetections;
    s_before[n] = previous >= 0 ? b_placed[previous].place : kNewLabel;
  }
  if (lane == 0) s_blocked = 0u;
  memoryBarrierBuffer();
  barrier();  // the previous labels are read
  for (int n = lane; n < count; n += int(kGroupInvocations)) {
    int rank = 0;
    for (int i = 0; i < count; ++i) rank += s_key[i] < s_key[n] || (s_key[i] == s_key[n] && i < n) ? 1 : 0;
    s_order[rank] = n;
  }
  barrier();
  for (int k = 0; k < count; ++k) {
    int n = s_order[k];
    vec4 area = labeled_area(n);
    vec2 size = label_size_of(n);
    uint blocked = blocked_by(lane, k, area, size, s_before[n], picture);
    if (lane == 0) blocked |= outside_frame(area, size, picture) | (has_text_below(n) ? kPlacesBelow : 0u);
    if (blocked != 0u) atomicOr(s_blocked, blocked);
    barrier();
    uint free = kAllPlaces & ~s_blocked;
    barrier();
    if (lane == 0) {
      int place = free != 0u && size.x > 0.0 ? findLSB(free) : -1;
      vec3 at = place < 0 ? vec3(0.0) : label_place(place, area, size, picture);
      s_blocked = 0u;
      s_labels[k] = place < 0 ? vec4(0.0) : vec4(at.xy, at.xy + size);
      s_places[n] = at;
      ivec2 owner = label_owner(n);
      b_placed[k] = PlacedLabel(area, owner.x, owner.y, place, 0);
    }
    barrier();
  }
  if (lane == 0) b_placed_count = count;
}

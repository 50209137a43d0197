// Regions of the frame that landmark models sample, tracked from frame to frame (gst_plugin/detect/regions.h). They are
// at the beginning of a buffer; results may follow:
//   layout(std430, binding = 0) buffer State { REGIONS; };
#include "detect/one_euro.glsl"
#include "detect/regions.h"

struct Region {
  vec4 square;  // center x and y, side: pixels of the upright frame; rotation in radians, clockwise
  int is_followed;
  int is_new;  // from a detection, not from landmarks
  int id;      // track ID, from 1 on
  int unused;
  Filtered ends;  // BlazePose: the two points that define the square: x, y, x, y
};
#define REGIONS               \
  int slot;                   \
  int last_id;                \
  int regions_unused[2];      \
  Region regions[kMaxRegions]; \
  vec4 regions_padding[kRegionsPadding]

// From the center of a square, in sides along its own axes, to frame pixels.
vec2 turned(vec2 v, float rotation) {
  float c = cos(rotation), s = sin(rotation);
  return vec2(c * v.x - s * v.y, s * v.x + c * v.y);
}

// Distance of two squares in sides of the smaller one: the mean distance of their centers and of their upper ends.
float distance_of(vec4 a, vec4 b) {
  const vec2 kUp = vec2(0.0, -0.4);
  float middles = length(a.xy - b.xy);
  float ends = length(a.xy + turned(kUp * a.z, a.w) - b.xy - turned(kUp * b.z, b.w));
  return 0.5 * (middles + ends) / max(min(a.z, b.z), 1e-6);
}

// The square around a box with this center and size along axes rotated by `rotation`: shifted down along them by
// `shift` heights, with `scale` times the longer side.
vec4 square_around(vec2 middle, vec2 size, float rotation, float scale, float shift) {
  return vec4(middle + turned(vec2(0.0, shift * size.y), rotation), scale * max(size.x, size.y), rotation);
}

// Regions of the frame that landmark models sample, tracked from frame to frame (gst_plugin/detect/regions.h). They are
// at the beginning of a buffer; results may follow. `look` is the square that the detector samples, `looks` the number
// of earlier ones in this series:
//   layout(std430, binding = 0) buffer State { REGIONS; };
#include "detect/one_euro.glsl"
#include "detect/regions.h"

struct Region {
  vec4 square;  // center x and y, side: pixels of the upright frame; rotation in radians, clockwise
  vec4 head;    // center x and y, radius: pixels; covered in the model input of other regions. How far the center was
                // from the predicted one, in radii
  vec4 motion;  // of the head, in pixels per second; seconds since another person hides it, 0: nobody does; 0
  int is_followed;
  int is_new;  // from a detection, not from landmarks
  int id;      // track ID, from 1 on
  int strange_frames;  // BlazePose: frames in series whose limbs are not those of one person
  Filtered ends;  // BlazePose: the two points that define the square: x, y, x, y
};
#define REGIONS               \
  int slot;                   \
  int last_id;                \
  int looks;                  \
  int regions_unused;         \
  vec4 look;                  \
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

// The head in the square of a person: `up` sides above its center, with a radius in sides.
vec4 head_of(vec4 square, float up, float radius) {
  return vec4(square.xy + turned(vec2(0.0, -up * square.z), square.w), radius * square.z, 0.0);
}

// Whether two heads are closer than this, in radii of the smaller one.
bool are_near(vec4 head, vec4 other, float radii) { return length(head.xy - other.xy) < radii * min(head.z, other.z); }

// Whether two regions are of the same object, which is closer than `same` to itself (RegionRule). With heads, those
// must be near, too, because the squares of people who pass each other are the same.
bool are_same(vec4 square, vec4 head, vec4 other_square, vec4 other_head, float same) {
  if (are_near(head, other_head, 0.8)) return true;
  bool near = distance_of(square, other_square) < same;
  return near && (head.z == 0.0 || are_near(head, other_head, 1.5));
}

// The square around a box with this center and size along axes rotated by `rotation`: shifted down along them by
// `shift` heights, with `scale` times the longer side.
vec4 square_around(vec2 middle, vec2 size, float rotation, float scale, float shift) {
  return vec4(middle + turned(vec2(0.0, shift * size.y), rotation), scale * max(size.x, size.y), rotation);
}

// What BlazePose keeps from frame to frame: where in the next one to look for whom. Beside it lies, as in other
// decoders, who was found in this one (pose/found.glsl).
#include "gl/compute.h"
#include "pose/found.glsl"
#include "pose/one_euro.glsl"

struct Region {
  vec4 square;  // centre x and y, side: pixels of the upright frame; rotation in radians, clockwise
  int is_followed;
  int is_new;  // from a detection, not from landmarks
  int unused[2];
  Filtered ends;  // the two points that the square was made of: x, y, x, y
};
#define REGIONS        \
  PERSONS;             \
  int slot;            \
  int regions_unused[3]; \
  Region regions[kMaxPersons]

layout(std140, binding = kParamsBinding) uniform BlazePose {
  vec4 u_frame;     // width and height of the upright frame in pixels; seconds since the frame before, below 0: none
  vec4 u_score;     // x: of a person, by the landmarks' model, the least
  ivec4 u_sizes;    // the most persons; width and height of the landmarks' input in pixels
};

// The square round a person, from the middle of the hips and the point that says how large the person is and where up
// is: 1.25 times as long as twice their distance (MediaPipe's pose_landmarks_to_roi).
vec4 square_of(vec2 hips, vec2 end) {
  vec2 d = end - hips;
  return vec4(hips, 2.5 * length(d), atan(d.x, -d.y));
}

// From a square's middle, in sides along its own axes, to pixels of the frame.
vec2 turned(vec2 v, float rotation) {
  float c = cos(rotation), s = sin(rotation);
  return vec2(c * v.x - s * v.y, s * v.x + c * v.y);
}

// How much of their union two squares have in common, their rotation aside.
float common_share(vec4 a, vec4 b) {
  vec2 low = max(a.xy - 0.5 * a.z, b.xy - 0.5 * b.z), high = min(a.xy + 0.5 * a.z, b.xy + 0.5 * b.z);
  vec2 size = max(high - low, vec2(0.0));
  float both = size.x * size.y;
  return both / max(a.z * a.z + b.z * b.z - both, 1e-6);
}

// The state that BlazePose keeps from frame to frame: the regions to process in the next frame. The buffer also
// contains the people found in this frame, as in other decoders (pose/found.glsl).
#include "gl/compute.h"
#include "pose/found.glsl"
#include "pose/one_euro.glsl"

struct Region {
  vec4 square;  // center x and y, side: pixels of the upright frame; rotation in radians, clockwise
  int is_followed;
  int is_new;  // from a detection, not from landmarks
  int unused[2];
  Filtered ends;  // the two points that define the square: x, y, x, y
};
#define REGIONS        \
  PERSONS;             \
  int slot;            \
  int regions_unused[3]; \
  Region regions[kMaxPersons]

layout(std140, binding = kParamsBinding) uniform BlazePose {
  vec4 u_frame;     // width and height of the upright frame in pixels; seconds since the previous frame, below 0: none
  vec4 u_score;     // x: minimum score of a person by the landmark model
  ivec4 u_sizes;    // maximum number of people; width and height of the landmark input in pixels
};

// The square around a person, from the hip center and the point that defines the size and direction of the person. Its
// side is 1.25 times twice their distance (MediaPipe's pose_landmarks_to_roi).
vec4 square_of(vec2 hips, vec2 end) {
  vec2 d = end - hips;
  return vec4(hips, 2.5 * length(d), atan(d.x, -d.y));
}

// From the center of a square, in sides along its own axes, to frame pixels.
vec2 turned(vec2 v, float rotation) {
  float c = cos(rotation), s = sin(rotation);
  return vec2(c * v.x - s * v.y, s * v.x + c * v.y);
}

// Intersection over union of two squares, ignoring rotation.
float common_share(vec4 a, vec4 b) {
  vec2 low = max(a.xy - 0.5 * a.z, b.xy - 0.5 * b.z), high = min(a.xy + 0.5 * a.z, b.xy + 0.5 * b.z);
  vec2 size = max(high - low, vec2(0.0));
  float both = size.x * size.y;
  return both / max(a.z * a.z + b.z * b.z - both, 1e-6);
}

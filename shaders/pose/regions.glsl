// The regions of people (detect/regions.glsl), and behind them in the same buffer, as other decoders leave it, who was
// found in them (pose/found.glsl).
#include "detect/regions.glsl"
#include "pose/found.glsl"

#define PERSON_REGIONS \
  REGIONS;             \
  PERSONS

// The square around a person, from the middle of the hips and the point that says how large the person is and where up
// is: 1.25 times as long as twice their distance (MediaPipe's pose_landmarks_to_roi).
vec4 square_of(vec2 hips, vec2 end) {
  vec2 d = end - hips;
  return vec4(hips, 2.5 * length(d), atan(d.x, -d.y));
}

// The regions of people (detect/regions.glsl), followed in the same buffer by the people found in this frame, as in
// other decoders (pose/found.glsl).
#include "detect/regions.glsl"
#include "pose/found.glsl"

#define PERSON_REGIONS \
  REGIONS;             \
  PERSONS

// The square around a person, from the hip center and the point that defines the size and direction of the person. Its
// side is 1.25 times twice their distance (MediaPipe's pose_landmarks_to_roi).
vec4 square_of(vec2 hips, vec2 end) {
  vec2 d = end - hips;
  return vec4(hips, 2.5 * length(d), atan(d.x, -d.y));
}

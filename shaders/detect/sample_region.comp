// Samples the square input of a model from the frame, without the heads of people in other regions: covered, they do not
// attract the model. LOOK: for the detector, which then finds other people; otherwise, for the last selected region.
#include "detect/regions.glsl"
#include "gl/compute.h"
#include "lib/frame.glsl"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(std430, binding = 0) readonly buffer State { REGIONS; };
layout(std430, binding = 1) readonly buffer Flag { uint model_runs; };
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_input;

const vec4 kCover = vec4(0.0, 0.0, 0.0, 1.0);  // like the padding outside of the frame

// In radii.
float distance_to_head(vec2 place, int i) { return length(place - regions[i].head.xy) / max(regions[i].head.z, 1e-6); }

// A tracked person is not covered for one who is only a detection, and the nearer head is visible if heads overlap.
bool is_covered(vec2 place) {
#ifdef LOOK
  float own = 1.0;
  bool is_new = true;
#else
  float own = min(distance_to_head(place, slot), 1.0);
  bool is_new = regions[slot].is_new != 0;
#endif
  bool covered = false;
  for (int i = 0; i < u_sizes.x; ++i) {
#ifndef LOOK
    if (i == slot) continue;
#endif
    bool counts = regions[i].is_followed != 0 && (is_new || regions[i].is_new == 0);
    covered = covered || (counts && distance_to_head(place, i) < own);
  }
  return covered;
}

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_input);
  if (model_runs == 0u || any(greaterThanEqual(position, size))) return;
  vec2 at = (vec2(position) + 0.5) / vec2(size);
#ifdef LOOK
  vec4 square = look;
#else
  vec4 square = regions[slot].square;
#endif
  vec2 place = square.xy + turned((at - 0.5) * square.z, square.w);
  imageStore(u_input, position, is_covered(place) ? kCover : sample_frame(at, kCover));
}

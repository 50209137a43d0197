// Samples the square input of a model from the frame, without the heads of people in other regions: covered, they do not
// attract the model. LOOK: for the detector, which then finds other people; otherwise, for the last selected region.
#include "detect/regions.glsl"
#include "gl/compute.h"
#include "lib/frame.glsl"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(std430, binding = 0) readonly buffer State { REGIONS; };
layout(std430, binding = 1) readonly buffer Flag { uint model_runs; };
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_input;

const vec4 kPadding = vec4(0.0, 0.0, 0.0, 1.0);  // outside of the frame

// In radii.
float distance_to_head(vec2 place, int i) { return length(place - regions[i].head.xy) / max(regions[i].head.z, 1e-6); }

// The head that covers a position; -1 if none does. A tracked person is not covered for one who is only a detection,
// and the nearer head is visible if heads overlap.
int cover_at(vec2 place) {
#ifdef LOOK
  float least = 1.0;
  bool is_new = true;
#else
  float least = min(distance_to_head(place, slot), 1.0);
  bool is_new = regions[slot].is_new != 0;
#endif
  int cover = -1;
  for (int i = 0; i < u_sizes.x; ++i) {
#ifdef LOOK
    bool counts = regions[i].is_followed != 0;
#else
    if (i == slot) continue;
    bool counts = regions[i].is_followed != 0 && (is_new || regions[i].is_new == 0);
    counts = counts || regions[i].motion.z > 0.0;  // or the head appears again, next to the one that hid it
#endif
    float far = distance_to_head(place, i);
    if (!counts || far >= least) continue;
    least = far;
    cover = i;
  }
  return cover;
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
  int cover = cover_at(place);
  if (cover >= 0) {  // with the colors around the head
    vec2 from_head = place - regions[cover].head.xy;
    vec2 rim = regions[cover].head.xy + from_head * regions[cover].head.z / max(length(from_head), 1e-3);
    at = turned(rim - square.xy, -square.w) / max(square.z, 1e-6) + 0.5;
  }
  imageStore(u_input, position, sample_frame_cell(at, frame_cell(1.0 / vec2(size)), kPadding));
}

// At the beginning of a frame, decides whether the detector runs: it does if more regions could be tracked. Predicts the
// heads of people.
#include "detect/regions.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { REGIONS; };
layout(std430, binding = 1) writeonly buffer Flag { uint detector_runs; };

const float kHiddenSeconds = 1.0;  // hidden people are forgotten after this time

void main() {
  slot = -1;
  int followed = 0;
  for (int i = 0; i < kMaxRegions; ++i) {
    bool goes_on = i < u_sizes.x && u_frame.z >= 0.0 && regions[i].is_followed != 0;
    regions[i].is_followed = goes_on ? 1 : 0;
    followed += regions[i].is_followed;
    float hidden = regions[i].motion.z;
    if (!goes_on && hidden > 0.0) hidden = u_frame.z >= 0.0 && hidden < kHiddenSeconds ? hidden + u_frame.z : 0.0;
    if (goes_on || hidden > 0.0) regions[i].head.xy += regions[i].motion.xy * max(u_frame.z, 0.0);
    regions[i].motion.z = hidden;
  }
  detector_runs = followed < u_sizes.x ? 1u : 0u;
}

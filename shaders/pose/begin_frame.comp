// At the beginning of a frame, decides whether the detector runs: it does if more people could be tracked.
#include "pose/regions.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { REGIONS; };
layout(std430, binding = 1) writeonly buffer Flag { uint detector_runs; };

const float kSame = 0.7;  // minimum intersection over union of squares that track the same person

void main() {
  slot = -1;
  persons_count = u_sizes.x;
  int followed = 0;
  for (int i = 0; i < kMaxPersons; ++i) {
    persons[i].points_count = 0;
    bool goes_on = i < u_sizes.x && u_frame.z >= 0.0 && regions[i].is_followed != 0;
    for (int j = 0; j < i && goes_on; ++j) {
      goes_on = regions[j].is_followed == 0 || common_share(regions[i].square, regions[j].square) < kSame;
    }
    regions[i].is_followed = goes_on ? 1 : 0;
    followed += regions[i].is_followed;
  }
  detector_runs = followed < u_sizes.x ? 1u : 0u;
}

// At the beginning of a frame, selects the region for MoveNet: as chosen in the previous frame, or the whole frame.
#include "pose/regions.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { PERSON_REGIONS; };

void main() {
  slot = -1;
  persons_count = 1;
  if (u_frame.z < 0.0 || regions[0].is_new != 0) {
    regions[0].square = vec4(0.5 * u_frame.xy, max(u_frame.x, u_frame.y), 0.0);
  }
  regions[0].is_followed = 1;
}

// Selects the next tracked region: decides whether the landmark model runs, and the position of its input in the frame.
#include "detect/input_place.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { REGIONS; };
layout(std430, binding = 1) writeonly buffer Flag { uint landmarks_run; };

void main() {
  ++slot;
  landmarks_run = uint(regions[slot].is_followed);
  place_input(regions[slot].square);
}

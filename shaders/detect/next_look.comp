// Selects the square of the frame that the detector samples: the whole frame and one of its parts in turn, because
// people who are small in the frame are found only in a part. Each run of the detector is one look.
#include "detect/input_place.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { REGIONS; };
layout(std430, binding = 1) readonly buffer Flag { uint detector_runs; };

const float kPart = 0.6;   // side of the parts relative to the longer side of the frame
const float kStep = 0.25;  // maximum distance of neighboring parts

// Along one axis: the number of parts, and the center of one of them, in longer sides of the frame.
uint parts_along(float extent) { return 1u + uint(ceil(max(extent - 1.1 * kPart, 0.0) / kStep)); }
float center_of(uint part, uint parts, float extent) {
  float between = parts > 1u ? float(part) / float(parts - 1u) : 0.5;
  return 0.5 * kPart + between * (extent - kPart);
}

void main() {
  float longer = max(u_frame.x, u_frame.y);
  if (u_frame.z < 0.0 || detector_runs == 0u) looks = 0;
  look = vec4(0.5 * u_frame.xy, longer, 0.0);
  uint number = uint(looks);
  if (number % 2u == 1u) {
    vec2 extent = u_frame.xy / longer;
    uint columns = parts_along(extent.x), rows = parts_along(extent.y);
    uint part = number / 2u % (columns * rows);
    vec2 center = vec2(center_of(part % columns, columns, extent.x), center_of(part / columns, rows, extent.y));
    look = vec4(center, kPart, 0.0) * longer;
  }
  looks = int((number + 1u) & 0xffffu);
  place_input(look);
}

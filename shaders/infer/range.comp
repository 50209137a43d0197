// The minimum and maximum value of an output, smoothed over time. One work group.
#include "gl/compute.h"

#define LANES 128
layout(local_size_x = LANES) in;

layout(std430, binding = 0) readonly buffer Numbers { float b_numbers[]; };
layout(std430, binding = 1) buffer Range { vec4 b_range; };  // minimum, maximum; whether they are valid; 0
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_counts;  // values, 0, 0, 0
  vec4 u_share;    // weight of the new range in the result, 0, 0, 0
};

shared vec2 s_range[LANES];

void main() {
  int lane = int(gl_LocalInvocationID.x);
  vec2 range = vec2(3.402823466e+38, -3.402823466e+38);
  for (int i = lane; i < u_counts.x; i += LANES) {
    float x = b_numbers[i];
    if (abs(x) <= 3.0e+38) range = vec2(min(range.x, x), max(range.y, x));  // neither infinity nor NaN
  }
  s_range[lane] = range;
  barrier();
  for (int step = LANES / 2; step > 0; step /= 2) {
    if (lane < step) {
      vec2 other = s_range[lane + step];
      s_range[lane] = vec2(min(s_range[lane].x, other.x), max(s_range[lane].y, other.y));
    }
    barrier();
  }
  if (lane != 0) return;
  range = s_range[0];
  if (range.x > range.y) return;
  float share = b_range.z > 0.0 ? u_share.x : 1.0;
  b_range = vec4(mix(b_range.xy, range, share), 1.0, 0.0);
}

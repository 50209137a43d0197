// Each window around a pixel has its own linear function: their mean over 5 x 5 windows.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_input;
layout(binding = kSurroundingsUnit) uniform sampler2D u_trust;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(rgba16f, binding = 1) writeonly uniform highp image2D u_mean_trust;

const int kTaps = 2;  // to each side

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec4 sum = vec4(0.0);
  float trust = 0.0;
  for (int y = -kTaps; y <= kTaps; ++y) {
    for (int x = -kTaps; x <= kTaps; ++x) {
      ivec2 at = clamp(position + ivec2(x, y), ivec2(0), size - 1);
      sum += texelFetch(u_input, at, 0);
      trust += texelFetch(u_trust, at, 0).r;
    }
  }
  const float kCount = float((2 * kTaps + 1) * (2 * kTaps + 1));
  imageStore(u_output, position, sum / kCount);
  imageStore(u_mean_trust, position, vec4(trust / kCount, 0.0, 0.0, 1.0));
}

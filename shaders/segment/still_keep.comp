// If the model runs, stores its input means for comparison with the next frames.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kBeforeUnit) uniform sampler2D u_now;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_before;
#include "segment/still_flags.glsl"

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  bool runs = b_words[flag_word()] != 0u;
  if (position == ivec2(0)) {
    b_words[other_flag_word()] = 0u;
    if (!runs) b_words[kSkippedWord] += 1u;
  }
  if (runs && all(lessThan(position, imageSize(u_before)))) {
    imageStore(u_before, position, texelFetch(u_now, position, 0));
  }
}

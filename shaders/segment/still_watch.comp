// Whether the frame has changed since the model last ran. Compares means over blocks of model pixels: averaging reduces
// noise more than any change that the model could detect.
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/shaders.h"
layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kBeforeUnit) uniform sampler2D u_before;  // the means at the last run
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_now;
#include "segment/still_flags.glsl"

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_now);
  if (any(greaterThanEqual(position, size))) return;
  vec3 sum = vec3(0.0);
  for (int i = 0; i < kStillBlock * kStillBlock; ++i) {
    vec2 pixel = vec2(kStillBlock * position + ivec2(i % kStillBlock, i / kStillBlock)) + 0.5;
    sum += sample_frame(min(pixel / u_still.zw, 1.0), vec4(0.0)).rgb;
  }
  vec3 mean = floor(sum / float(kStillBlock * kStillBlock) * 1024.0 + 0.5) / 1024.0;  // exact in half floats
  imageStore(u_now, position, vec4(mean, 1.0));
  vec3 change = abs(mean - texelFetch(u_before, position, 0).rgb);
  if (u_which.y != 0 || max(change.r, max(change.g, change.b)) > u_still.x) atomicOr(b_words[flag_word()], 1u);
}

// The mask of the whole frame, from that of the part that the model has sampled. Beyond that part there is nobody. The mask
// of a part that is not trusted leaves the one before, which is that of the same frame or the previous one.
#include "gl/compute.h"
#include "segment/region.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kMaskUnit) uniform sampler2D u_mask;  // of the model
layout(std430, binding = kRegionBlock) readonly buffer Region { REGION; };
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  vec2 size = vec2(imageSize(u_output));
  if (region_trusted < 0.5 || any(greaterThanEqual(vec2(position), size))) return;
  vec2 scale = 1.0 / (region_sampled.zw - region_sampled.xy);
  vec2 at = ((vec2(position) + 0.5) / size - region_sampled.xy) * scale;
  float mask = 0.0;
  if (all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(1.0)))) {
    // The mean of what the pixel covers.
    vec2 covered = scale / size;
    ivec2 fetches = clamp(ivec2(ceil(0.5 * covered * vec2(textureSize(u_mask, 0)) - 0.02)), ivec2(1), ivec2(4));
    vec2 step = covered / vec2(fetches);
    vec2 first = at - 0.5 * vec2(fetches - 1) * step;
    for (int y = 0; y < fetches.y; ++y) {
      for (int x = 0; x < fetches.x; ++x) mask += textureLod(u_mask, first + vec2(x, y) * step, 0.0).r;
    }
    mask /= float(fetches.x * fetches.y);
  }
  imageStore(u_output, position, vec4(mask, 0.0, 0.0, 1.0));
}

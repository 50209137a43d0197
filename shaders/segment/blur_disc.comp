// The mean over a disc of light that is premultiplied by its weight in A. The output is colors, with 1 in A. Bilinear
// fetches read up to four texels each (segment/blur.cpp).
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_input;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Disc {
  vec4 u_taps[kDiscTaps];  // xy: offset in texels; z: weight of each of the four fetches
  vec4 u_center;           // x: weight of the center; y: number of taps
};

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec2 texel = 1.0 / vec2(size);
  vec2 place = (vec2(position) + 0.5) * texel;
  vec4 sum = u_center.x * textureLod(u_input, place, 0.0);
  int count = int(u_center.y);
  for (int i = 0; i < count; ++i) {
    vec2 d = u_taps[i].xy * texel, turned = vec2(-u_taps[i].y, u_taps[i].x) * texel;
    sum += u_taps[i].z * (textureLod(u_input, place + d, 0.0) + textureLod(u_input, place - d, 0.0) +
                          textureLod(u_input, place + turned, 0.0) + textureLod(u_input, place - turned, 0.0));
  }
  imageStore(u_output, position, vec4(sqrt(sum.rgb / sum.a), 1.0));
}

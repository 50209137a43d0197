// Writes one plane of an exported frame from an RGBA texture.
//   PLANE  kColorPlane: unchanged colors; kLumaPlane: Y'; kChromaPlane: Cb and Cr at half the width and height, rounded
//          up
#include "dmabuf_export/shaders.h"

layout(binding = 0) uniform sampler2D u_frame;
layout(std140, binding = kCodingBinding) uniform Coding {
  vec4 u_rows[3];  // Y', Cb, Cr of (R', G', B', 1)
  vec4 u_across;   // weights in a chroma sample: the pixel before a pair, its first and its second pixel
  vec4 u_down;
  vec4 u_part;     // region of the texture: x and y of its first pixel, width and height
};

layout(location = 0) out vec4 o_color;

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
#if PLANE == kColorPlane
  o_color = texelFetch(u_frame, at + ivec2(u_part.xy), 0);
#elif PLANE == kLumaPlane
  o_color = vec4(dot(u_rows[0], vec4(texelFetch(u_frame, at + ivec2(u_part.xy), 0).rgb, 1.0)));
#else
  ivec2 first = ivec2(u_part.xy), last = first + ivec2(u_part.zw) - 1;
  vec3 color = vec3(0.0);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      ivec2 place = clamp(first + 2 * at + ivec2(x, y) - 1, first, last);
      color += u_across[x] * u_down[y] * texelFetch(u_frame, place, 0).rgb;
    }
  }
  o_color = vec4(dot(u_rows[1], vec4(color, 1.0)), dot(u_rows[2], vec4(color, 1.0)), 0.0, 1.0);
#endif
}

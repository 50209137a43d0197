// How sure the model is of a whole neighborhood: a mask eroded by one pixel, so that lines and thin bridges do not count,
// and the maximum of that over each cell. In G, how much of the cell is foreground, and in
// B the mean of that times its squared probability.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_mask;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(cell, imageSize(u_output)))) return;
  ivec2 first = kIslandCell * cell, last = textureSize(u_mask, 0) - 1;
  // Minima of three columns, row by row.
  vec4 above = vec4(1.0), here = vec4(1.0), eroded = vec4(0.0), foreground = vec4(0.0), squares = vec4(0.0);
  for (int y = -1; y <= kIslandCell; ++y) {
    float row[kIslandCell + 2];
    for (int x = -1; x <= kIslandCell; ++x) {
      row[x + 1] = texelFetch(u_mask, clamp(first + ivec2(x, y), ivec2(0), last), 0).r;
    }
    vec4 below = vec4(min(row[0], min(row[1], row[2])), min(row[1], min(row[2], row[3])),
                      min(row[2], min(row[3], row[4])), min(row[3], min(row[4], row[5])));
    if (y >= 1) eroded = max(eroded, min(above, min(here, below)));
    if (y >= 0 && y < kIslandCell) {
      vec4 pixels = vec4(row[1], row[2], row[3], row[4]);
      vec4 counted = smoothstep(kForegroundFrom, kForegroundTo, pixels);
      foreground += counted;
      squares += counted * pixels * pixels;
    }
    above = here;
    here = below;
  }
  float most = max(max(eroded.x, eroded.y), max(eroded.z, eroded.w));
  vec2 shares = vec2(dot(foreground, vec4(1.0)), dot(squares, vec4(1.0))) / float(kIslandCell * kIslandCell);
  imageStore(u_output, cell, vec4(smoothstep(kCoreFrom, kCoreTo, most), shares, 1.0));
}

// Sorts the tiles of a frame, a pixel each: what is only background, what is only foreground, and the others. Where all
// pixels have one opacity, the composite needs neither the mask nor the colors around a pixel.
#include "segment/bounds.glsl"
#include "segment/mask_refiner.h"
#include "segment/matte.glsl"
#include "segment/shaders.h"

layout(location = 0) out vec4 o_kind;
#if REFINE != Refine_kNone
layout(binding = kSurroundingsUnit) uniform sampler2D u_surroundings;  // segment/opacity.glsl
#define u_probabilities u_surroundings
#else
#define u_probabilities u_mask
#endif

void main() {
  ivec2 size = textureSize(u_probabilities, 0);
  // The frame may be turned in the mask. A spline reads four by four texels around a place.
  vec2 first = floor(gl_FragCoord.xy) * u_tile, last = min(first + u_tile, 1.0);
  vec2 a = mask_place(first), b = mask_place(last), c = mask_place(vec2(first.x, last.y));
  vec2 d = mask_place(vec2(last.x, first.y));
  ivec2 from = ivec2(floor(min(min(a, b), min(c, d)) * vec2(size) - 0.5)) - 1;
  ivec2 to = ivec2(floor(max(max(a, b), max(c, d)) * vec2(size) - 0.5)) + 2;
  from = clamp(from, ivec2(0), size - 1);
  to = clamp(to, ivec2(0), size - 1);
  // Splines stay within the values that they interpolate.
  vec2 range = vec2(1e30, -1e30);
  for (int y = from.y; y <= to.y; ++y) {
    for (int x = from.x; x <= to.x; ++x) {
      vec2 there = texelFetch(u_probabilities, ivec2(x, y), 0).rg;
#if REFINE == Refine_kNone
      range = vec2(min(range.x, there.r), max(range.y, there.r));
#else
      range = vec2(min(range.x, there.r), max(range.y, there.g));
#endif
    }
  }
#if REFINE == Refine_kBilateral
  range = bounds(range);
#endif
  int kind = matte(range.x) >= 1.0 ? kFrontTile : matte(range.y) <= 0.0 ? kBehindTile : kEdgeTile;
  o_kind = vec4(float(kind) / float(kFrontTile));
}

// Splits the frame colors by opacity into foreground and background, at a reduced size. Each fetch is the mean of 2 x 2
// pixels.
//   REFINE  how the mask is refined: segment/opacity.glsl
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/opacity.glsl"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_front;   // alpha I in RGB, alpha in A
layout(rgba16f, binding = 1) writeonly uniform highp image2D u_behind;  // (1 - alpha) I, 1 - alpha

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_front);
  if (any(greaterThanEqual(position, size))) return;
  int side = max(int(0.5 / (u_frame_texel.y * float(size.y)) + 0.5), 1);  // fetches along each axis
  vec4 front = vec4(0.0), behind = vec4(0.0);
  for (int i = 0; i < side * side; ++i) {
    vec2 within = (vec2(i % side, i / side) + 0.5) / float(side);
    vec2 place = (vec2(position) + within) / vec2(size);
    vec3 color = fetch_frame(place_in_frame(place)).rgb;
#if REFINE == Refine_kNone
    float alpha = matte(textureLod(u_mask, mask_place(place), 0.0).r);  // at this size, close to the smooth one
#else
    float alpha = opacity(place, color);
#endif
    front += vec4(color, 1.0) * alpha;
    behind += vec4(color, 1.0) * (1.0 - alpha);
  }
  float share = 1.0 / float(side * side);
  imageStore(u_front, position, share * front);
  imageStore(u_behind, position, share * behind);
}

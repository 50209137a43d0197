// The frame and its mask side by side at the size at which the mask is refined: colors in RGB, the probability of
// foreground in A. Where the frame is still, the colors are means over time, without noise.
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/bspline.glsl"
#include "segment/matte.glsl"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = kPreviousGuideUnit) uniform sampler2D u_previous;
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;
// The minimum and maximum probability around a pixel, in R and G, the variance of the colors within it, in B, and its own
// probability, in A.
layout(rgba16f, binding = 1) writeonly uniform highp image2D u_surroundings;

const int kReach = 2;  // pixels of the guide between an edge and its place in the mask

// A pixel of the guide covers several of the frame. This many bilinear fetches per axis stand for them: at least two, for
// their variance.
int samples(vec2 covered) { return clamp(int(ceil(length(covered / u_frame_texel) / 2.0)), 2, 4); }

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec3 color = vec3(0.0), squares = vec3(0.0);
  vec2 right = vec2(u_from_mask[0].x, u_from_mask[1].x) / float(size.x);
  vec2 down = vec2(u_from_mask[0].y, u_from_mask[1].y) / float(size.y);
  int across = samples(right), along = samples(down);
  right /= float(across);
  down /= float(along);
  vec2 row = frame_place_of_mask(vec2(position) / vec2(size)) + 0.5 * (right + down);
  for (int y = 0; y < along; ++y, row += down) {
    vec2 place = row;
    for (int x = 0; x < across; ++x, place += right) {
      vec3 sampled = fetch_frame(place_in_frame(clamp(place, 0.0, 1.0))).rgb;
      color += sampled;
      squares += sampled * sampled;
    }
  }
  color /= float(across * along);
  squares /= float(across * along);
  float variance = max(dot(squares - color * color, vec3(1.0 / 3.0)), 0.0);
  float least = 1.0, greatest = 0.0;
  // Inside of an edge, mistakes are holes: only coarse masks, whose edges are farther off, may have them as far.
  int inner = textureSize(u_mask, 0).x < size.x ? kReach : 1;
  for (int y = -kReach; y <= kReach; ++y) {
    for (int x = -kReach; x <= kReach; ++x) {
      vec2 place = clamp((vec2(position + ivec2(x, y)) + 0.5) / vec2(size), u_mask_bounds.xy, u_mask_bounds.zw);
      float probability = textureLod(u_mask, place, 0.0).r;
      if (max(abs(x), abs(y)) <= inner) least = min(least, probability);
      greatest = max(greatest, probability);
    }
  }
  vec2 center = clamp((vec2(position) + 0.5) / vec2(size), u_mask_bounds.xy, u_mask_bounds.zw);
  const float kHistory = 0.8;
  float still = u_guide_history * textureLod(u_mask, center, 0.0).g;
  color = mix(color, texelFetch(u_previous, position, 0).rgb, kHistory * still);
  imageStore(u_output, position, vec4(color, sample_bspline(u_mask, center).r));
  imageStore(u_surroundings, position, vec4(least, greatest, variance, textureLod(u_mask, center, 0.0).r));
}

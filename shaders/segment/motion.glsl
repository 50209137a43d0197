// Where each pixel of a mask was in the previous mask: one of the motions of the blocks around it (segment/motion.comp).
// Beside an edge, the pixels of the background do not show the motion of the edge. So masks choose between the motions
// too.
#include "segment/shaders.h"

layout(binding = kMotionUnit) uniform sampler2D u_motion;

// Mean change of luma and of the mask around a place, if it was displaced.
vec2 change(vec2 place, vec2 displacement) {
  vec2 texel = 1.0 / vec2(textureSize(u_mask, 0));
  vec2 sum = vec2(0.0);
  for (int i = 0; i < 5; ++i) {
    vec2 at = place + texel * vec2(i == 0 ? 0 : 2 * (i & 1) - 1, i == 0 ? 0 : (i & 2) - 1);
    sum += abs(vec2(textureLod(u_luma, at, 0.0).r - noise_light * textureLod(u_luma, at + displacement, 0.0).g,
                    textureLod(u_mask, at, 0.0).r - textureLod(u_before, at + displacement, 0.0).r));
  }
  return sum / 5.0;
}

// The displacement in fractions of the mask in xy; in z, how far it can be trusted, in [0,1]. If `settled`, there is none.
vec3 motion_at(vec2 place, bool settled) {
  const vec2 kFalloff = vec2(15.0, 40.0);          // of the weight of a displacement, by the changes
  const float kTrusted = 0.03, kDistrusted = 0.1;  // changes of luma
  const float kStill = 0.1;                        // weight of no displacement, among weights that sum up to 1
  vec2 at = place * vec2(textureSize(u_luma, 0)) / float(kMotionBlock) - 0.5;
  ivec2 last = textureSize(u_motion, 0) - 1;
  vec2 f = fract(at);
  float least = 1.0, weights = 0.0;
  vec2 sum = vec2(0.0);
  // No displacement, and those of four blocks. Software renderers skip the rest of a loop, but no branch.
  int count = settled ? 0 : 5;
  for (int i = 0; i < count; ++i) {
    ivec2 corner = ivec2(i & 1, (i >> 1) & 1);
    vec2 displacement = texelFetch(u_motion, clamp(ivec2(floor(at)) + corner, ivec2(0), last), 0).rg;
    vec2 near = mix(1.0 - f, f, vec2(corner));
    float share = near.x * near.y + 0.05;
    if (i == 4) {
      displacement = vec2(0.0);
      share = kStill;
    }
    vec2 changed = change(place, displacement);
    float weight = share * exp(-dot(kFalloff, changed));
    sum += weight * displacement;
    weights += weight;
    least = min(least, changed.x);
  }
  return vec3(sum / max(weights, 1e-9), 1.0 - smoothstep(kTrusted, kDistrusted, least));
}

// R by Catmull-Rom interpolation, which does not blur a mask further with each frame. Kept within the range of the four
// nearest pixels.
float sample_sharp(sampler2D image, vec2 place) {
  ivec2 last = textureSize(image, 0) - 1;
  vec2 texel = place * vec2(last + 1) - 0.5;
  vec2 f = fract(texel);
  vec4 powers_x = vec4(1.0, f.x, f.x * f.x, f.x * f.x * f.x), powers_y = vec4(1.0, f.y, f.y * f.y, f.y * f.y * f.y);
  const mat4 kCatmullRom = mat4(0.0, -0.5, 1.0, -0.5, 1.0, 0.0, -2.5, 1.5, 0.0, 0.5, 2.0, -1.5, 0.0, 0.0, -0.5, 0.5);
  vec4 weights_x = powers_x * kCatmullRom, weights_y = powers_y * kCatmullRom;
  float sum = 0.0, least = 1.0, most = 0.0;
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      ivec2 at = clamp(ivec2(floor(texel)) + ivec2(x, y) - 1, ivec2(0), last);
      float value = texelFetch(image, at, 0).r;
      sum += weights_x[x] * weights_y[y] * value;
      if ((x == 1 || x == 2) && (y == 1 || y == 2)) {
        least = min(least, value);
        most = max(most, value);
      }
    }
  }
  return clamp(sum, least, most);
}

// The range of opacity, in R and G, that the functions of color may choose from: that of the surroundings where they can
// be trusted, and the probability in the mask where they cannot.
#include "gl/compute.h"
#include "segment/bounds.glsl"
#include "segment/bspline.glsl"
#include "segment/noise.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_surroundings;  // segment/guide.comp
layout(binding = kSurroundingsUnit) uniform sampler2D u_trust;
layout(std430, binding = kNoiseBlock) readonly buffer Noise { NOISE; };
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec4 surroundings = texelFetch(u_surroundings, position, 0);
  // The last texel of u_trust may reach beyond the guide.
  vec2 place = (vec2(position) + 0.5) / 2.0 / vec2(textureSize(u_trust, 0));
  float trust = sample_bspline(u_trust, place).r;
  const float kQuiet = 0.004, kNoisy = 0.012;  // standard deviations
  float noisy = smoothstep(kQuiet, kNoisy, noise_sigma);
  imageStore(u_output, position, vec4(mix(vec2(surroundings.a), bounds(surroundings.rg), trust), noisy, 1.0));
}

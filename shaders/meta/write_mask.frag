// Writes the model's mask as bytes, texel by texel: the foreground probability, and the resulting one of two regions.
#include "meta/shaders.h"

layout(binding = kProbabilityUnit) uniform sampler2D u_mask;  // the probability in R
layout(std140, binding = kRegionsBinding) uniform Regions { float u_threshold; };

// Their targets have one channel. The Mali compiler of Mesa 25.0 crashes if these are scalars.
layout(location = 0) out vec4 o_probability;
layout(location = 1) out vec4 o_region;  // as a byte: 0 background, 1 foreground

void main() {
  float probability = texelFetch(u_mask, ivec2(gl_FragCoord.xy), 0).r;
  o_probability = vec4(probability);
  o_region = vec4(probability >= u_threshold ? 1.0 / 255.0 : 0.0);
}

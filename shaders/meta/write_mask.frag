// Writes the model's mask as bytes, texel by texel: the foreground probability, and the resulting one of two regions.
#include "meta/shaders.h"

layout(binding = kProbabilityUnit) uniform sampler2D u_mask;  // the probability in R
layout(std140, binding = kRegionsBinding) uniform Regions { float u_threshold; };

layout(location = 0) out float o_probability;
layout(location = 1) out float o_region;  // as a byte: 0 background, 1 foreground

void main() {
  o_probability = texelFetch(u_mask, ivec2(gl_FragCoord.xy), 0).r;
  o_region = o_probability >= u_threshold ? 1.0 / 255.0 : 0.0;
}

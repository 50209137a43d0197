// Writes the model's mask as bytes, texel by texel: the foreground probability, and the resulting region.
#include "meta/shaders.h"

layout(binding = kProbabilityUnit) uniform sampler2D u_mask;  // the probability in R; maybe a number in G
layout(std140, binding = kRegionsBinding) uniform Regions {
  float u_threshold;
  float u_numbered;  // not 0: the region has that number
};

// Their targets have one channel. The Mali compiler of Mesa 25.0 crashes if these are scalars.
layout(location = 0) out vec4 o_probability;
layout(location = 1) out vec4 o_region;  // as a byte: 0 background, 1 foreground, or the number

void main() {
  vec2 mask = texelFetch(u_mask, ivec2(gl_FragCoord.xy), 0).rg;
  float region = u_numbered != 0.0 ? mask.g : 1.0 / 255.0;
  o_probability = vec4(mask.r);
  o_region = vec4(mask.r >= u_threshold ? region : 0.0);
}

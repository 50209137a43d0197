// Constants in the order in which kernels read them.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/fixed_point.h"

namespace sightglass {

// Tightly packed weights [O, kh, kw, I], row-major.
struct ConvWeights {
  int32_t out_channels = 0, kernel_h = 1, kernel_w = 1, in_channels = 0;
  std::vector<float> values;
};

// [O/4][kh][kw][I/4][4] vec4: the lanes of a vec4 are four output channels, the four vec4 four input channels, so a
// kernel sums input.x * w0 + input.y * w1 + … without a horizontal sum. Lanes past the last channel are zero.
std::vector<float> pack_conv_weights(const ConvWeights& weights);

// Factors per output channel for lib/conv_result.glsl: three parts, with the high 16 and the low 15 bits of the
// multipliers, and the shifts.
std::vector<float> pack_factors(const std::vector<FixedPoint>& factors);

// Pads with zeros to whole slices of four channels.
void pad_to_slices(std::vector<float>& channels);

}  // namespace sightglass

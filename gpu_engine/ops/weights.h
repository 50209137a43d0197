// The constants of convolution-like operators in their GPU layout.
#pragma once

#include <vector>

#include "graph/quantized.h"
#include "plan/emitter.h"

namespace sightglass {

// Dense weights [O, kh, kw, I], row-major.
struct ConvWeights {
  int32_t out_channels = 0, kernel_h = 1, kernel_w = 1, in_channels = 0;
  std::vector<float> values;
};

// [O/4][kh][kw][I/4][4] vec4: the lanes of a vec4 are four output channels, the four vec4 four input channels, so that
// a kernel adds up input.x * w0 + input.y * w1 + … without a horizontal sum. What is no channel is zero.
std::vector<float> pack_conv_weights(const ConvWeights& weights);

// The dense weights of a node as its kernel multiplies them with what is stored: integers where sums_integers(), else
// real numbers, times the scale of a quantised input.
std::vector<float> conv_weights(const Graph& graph, const Node& node);

// Places in the constants buffer: of the weights in elements of their storage, of the others in vec4.
struct ConvConstants {
  int32_t weights = 0, bias = 0, slope = 0;
  Storage storage = Storage::kFloat32;  // of the weights
  bool requantizes = false;             // sums are integers, scaled by `factors`, clamped to `range`
  int32_t factors = 0;
  QuantumRange range;
  Ties ties = Ties::kAwayFromZero;

  // The shader with what it must be defined with, and the last member of its parameters.
  ShaderKey shader(ShaderKey key) const;
  void add_rescale(StepParams& params) const;
};

// `keys` as they are, and for integer sums.
std::vector<ShaderKey> with_requantize(std::vector<ShaderKey> keys);

// Appends packed weights, and the node's bias and PReLU slope (inputs 2 and 3; zeros when absent).
ConvConstants add_conv_constants(Emitter& emitter, const Node& node, const std::vector<float>& packed_weights,
                                 int32_t out_channels);

// Whether weights, bias and slope are constants of the sizes that the packing relies on.
Status check_conv_constants(const Graph& graph, const Node& node, int32_t out_channels);

}  // namespace sightglass

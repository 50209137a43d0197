// The constants of convolution-like operators: weights, bias, slope, and the factors of sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/emitter.h"
#include "ops/conv_quantization.h"

namespace sightglass {

// Weights that are a tensor in the arena. A bias is one too, or lies among the constants.
struct ComputedWeights {
  TensorRef weights, bias;
  bool bias_is_tensor = false;
  float unit = 1;  // what a product of a stored number and a stored weight stands for
};

// Places in the constants buffer: of the weights in elements of their storage, of the others in vec4.
struct ConvConstants {
  int32_t weights = 0, bias = 0, slope = 0;
  Storage storage = Storage::kFloat32;  // of the weights
  int32_t weight_offset = 0;            // what stored weights lack
  int32_t activation = 0;               // as StepExtras has it
  ConvQuantization quantization;
  int32_t factors = 0;  // of sums of integers
  std::optional<ComputedWeights> computed;
  std::optional<TensorRef> residual;  // of the output's shape or of one pixel, added to sums of real numbers
  std::optional<TensorRef> gate;      // a factor for each channel of the data, stored as the residual
};

// Appends packed weights, and the node's bias and PReLU slope (inputs 2 and 3; zeros when absent).
ConvConstants add_conv_constants(Emitter& emitter, const Node& node, const ConvQuantization& quantization,
                                 std::vector<float> packed_weights, int32_t out_channels);

// The same where weights or bias are computed. check_computed_weights() holds.
Result<ConvConstants> add_computed_weights(Emitter& emitter, const Node& node, int32_t out_channels);

// Whether weights or bias are computed, in types that can be multiplied as they are stored.
Status check_computed_weights(const Graph& graph, const Node& node, int32_t out_channels);
inline constexpr const char* kComputedLimits = "computed weights: of the data's type; a computed bias: all float32";

// Whether weights, bias and slope are constants of the sizes that the packing relies on.
Status check_conv_constants(const Graph& graph, const Node& node, int32_t out_channels);

// The same of bias and slope alone.
Status check_bias_and_slope(const Graph& graph, const Node& node, int32_t out_channels);

}  // namespace sightglass

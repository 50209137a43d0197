// Quantization of convolution-like operators.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/quantized.h"
#include "kernel/emitter.h"

namespace sightglass {

// Sums of a convolution, and their conversion (lib/conv_result.glsl).
enum class Sums : uint8_t {
  kReal,
  kRequantized,  // integers, requantized to the output
  kDynamic,      // integers, converted to floats
};

// Computed once per node. Determines all packed constants of its step.
struct ConvQuantization {
  Sums sums = Sums::kReal;
  float data_unit = 1;              // for kReal: the value of a stored 1 in the data
  bool rounds = false;              // for kReal: results are quantized
  Requantization requantization;    // for kRequantized
  std::optional<TensorRef> quanta;  // for kDynamic: of the data
};
ConvQuantization conv_quantization(const Emitter& emitter, const Node& node, int32_t out_channels);

// The tightly packed weights of a node in the unit in which its kernel multiplies them with stored data: integers for
// sums of integers, otherwise floats times the unit of the data.
std::vector<float> conv_weights(const Graph& graph, const Node& node, const ConvQuantization& quantization);

// A constant input with one value per channel (bias or slope), in the unit of the sums.
std::vector<float> conv_channels(const Graph& graph, const Node& node, size_t input,
                                 const ConvQuantization& quantization);

}  // namespace sightglass

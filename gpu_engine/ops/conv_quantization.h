// How a convolution-like operator is quantized.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/quantized.h"
#include "kernel/emitter.h"

namespace sightglass {

// What a convolution adds up, and what becomes of it (lib/conv_result.glsl).
enum class Sums : uint8_t {
  kReal,
  kRequantized,  // integers, which become quanta of the output
  kDynamic,      // integers, which become real numbers
};

// Found once for a node: all that is packed for its step follows from it.
struct ConvQuantization {
  Sums sums = Sums::kReal;
  float data_unit = 1;              // for kReal: the value of a stored 1 in the data
  bool rounds = false;              // for kReal: results are rounded to quanta
  Requantization requantization;    // for kRequantized
  std::optional<TensorRef> quanta;  // for kDynamic: of the data
};
ConvQuantization conv_quantization(const Emitter& emitter, const Node& node, int32_t out_channels);

// The dense weights of a node as its kernel multiplies them with what is stored: integers where it sums integers, else
// real numbers, times the unit of the data.
std::vector<float> conv_weights(const Graph& graph, const Node& node, const ConvQuantization& quantization);

// A constant input with one number per channel (bias or slope), in the unit of the sums.
std::vector<float> conv_channels(const Graph& graph, const Node& node, size_t input,
                                 const ConvQuantization& quantization);

}  // namespace sightglass

// Constants of convolution-like operators: weights, bias, slope, and the factors of sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/quantized.h"
#include "kernel/emitter.h"

namespace sightglass {

// Quantization of convolution-like operators.
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
  NearestSum residual;              // of these and the residual, if there is one
  QuantumRange range;               // of the result
  std::optional<TensorRef> quanta;  // for kDynamic: of the data
};
ConvQuantization conv_quantization(const Emitter& emitter, const Node& node, int32_t out_channels);

// The tightly packed weights of a node in the unit in which its kernel multiplies them with stored data: integers for
// sums of integers, otherwise floats times the unit of the data.
std::vector<float> conv_weights(const Graph& graph, const Node& node, const ConvQuantization& quantization);

// A constant input with one value per channel (bias or slope), in the unit of the sums.
std::vector<float> conv_channels(const Graph& graph, const Node& node, size_t input,
                                 const ConvQuantization& quantization);

// Weights in an arena tensor. The bias is another tensor or a constant.
struct ComputedWeights {
  TensorRef weights, bias;
  bool bias_is_tensor = false;
  float unit = 1;  // real value of a product of a stored value and a stored weight
};

// The integers of a table as steps from the zero point of `out`, and as a number in each vec4.
std::vector<float> steps_of_table(const Value& out, const std::vector<int32_t>& results);
std::vector<float> spread_table(const std::vector<float>& steps);

// Positions in the constants buffer: of the weights in elements of their storage, of the others in vec4.
struct ConvConstants {
  int32_t weights = 0, bias = 0, slope = 0;
  Storage storage = Storage::kFloat32;  // of the weights
  int32_t weight_offset = 0;            // offset to add to stored weights
  int32_t activation = 0;               // see StepExtras
  ConvQuantization quantization;
  int32_t factors = 0;           // for sums of integers
  bool nearest = false;          // of pack_nearest_factors(), otherwise of pack_factors()
  std::optional<int32_t> table;  // of spread_table() for a result of 0 steps
  std::optional<ComputedWeights> computed;
  std::optional<TensorRef> residual;  // of the output shape or of one pixel, added to sums of floats
  bool residual_last = false;         // or to the results of the activation
  ResidualSampling residual_sampling = ResidualSampling::kNone;
  std::optional<TensorRef> gate;    // a factor per channel of the data, stored like the residual
  std::optional<TensorRef> addend;  // then added to the data, likewise
};

// Appends the packed weights, and the bias and PReLU slope of the node (inputs 2 and 3; zeros if absent).
ConvConstants add_conv_constants(Emitter& emitter, const Node& node, const ConvQuantization& quantization,
                                 std::vector<float> packed_weights, int32_t out_channels);

// The same for computed weights or bias. Requires check_computed_weights().
Result<ConvConstants> add_computed_weights(Emitter& emitter, const Node& node, int32_t out_channels);

// Checks that weights or bias are computed, in types that can be multiplied as stored.
Status check_computed_weights(const Graph& graph, const Node& node, int32_t out_channels);
inline constexpr const char* kComputedLimits =
    "computed weights: in the type of the data; a computed bias: all float32";

// Checks that weights, bias and slope are constants of the sizes required for packing.
Status check_conv_constants(const Graph& graph, const Node& node, int32_t out_channels);

// The same for bias and slope only.
Status check_bias_and_slope(const Graph& graph, const Node& node, int32_t out_channels);

}  // namespace sightglass

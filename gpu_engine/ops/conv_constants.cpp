#include "ops/conv_constants.h"

#include <algorithm>
#include <cmath>

#include "ops/function.h"
#include "ops/parts.h"

namespace sightglass {

ConvQuantization conv_quantization(const Emitter& emitter, const Node& node, int32_t out_channels) {
  const Graph& graph = emitter.graph();
  ConvQuantization result;
  if (sums_integers(graph, node)) {
    result.sums = Sums::kRequantized;
    result.requantization = requantization(graph, node, out_channels);
    result.range = result_range(graph, node);
    if (residual_of(node) != kNone) result.residual = nearest_residual(graph, node).value_or(NearestSum{});
  } else if (const TensorRef* quanta = emitter.quanta(node.inputs[0])) {
    result.sums = Sums::kDynamic;
    result.quanta = *quanta;
  } else {
    const Value& data = graph.value(node.inputs[0]);
    if (is_quantized(data)) result.data_unit = data.quantization.scale[0];
    result.rounds = graph.value(node.outputs[0]).type != DataType::kFloat32;
  }
  return result;
}

std::vector<float> conv_weights(const Graph& graph, const Node& node, const ConvQuantization& quantization) {
  const Value& weights = graph.value(node.inputs[1]);
  const Constant& constant = *weights.constant;
  switch (quantization.sums) {
    case Sums::kRequantized:
      return steps_from_zero(weights, constant.type, constant.bytes);
    case Sums::kDynamic:
      // TensorFlow Lite treats uint8 weights with float data as int8.
      return steps_from_zero(weights, DataType::kInt8, constant.bytes);
    case Sums::kReal:
      break;
  }
  std::vector<float> values = real_operand(graph, node, 1, constant.type, constant.bytes);
  for (float& v : values) v *= quantization.data_unit;
  return values;
}

std::vector<float> conv_channels(const Graph& graph, const Node& node, size_t input,
                                 const ConvQuantization& quantization) {
  const Value& value = graph.value(node.inputs[input]);
  const Constant& constant = *value.constant;
  return quantization.sums == Sums::kRequantized ? steps_from_zero(value, constant.type, constant.bytes)
                                                 : real_operand(graph, node, input, constant.type, constant.bytes);
}

std::vector<float> steps_of_table(const Value& out, const std::vector<int32_t>& results) {
  std::vector<float> steps;
  for (const int32_t result : results) steps.push_back(static_cast<float>(result - zero_point(out)));
  return steps;
}

std::vector<float> spread_table(const std::vector<float>& steps) {
  std::vector<float> spread;
  for (const float step : steps) spread.insert(spread.end(), 4, step);
  return spread;
}

namespace {

constexpr size_t kBias = 2, kSlope = 3;

bool has_computed_bias(const Graph& graph, const Node& node) {
  return node.inputs.size() > kBias && node.inputs[kBias] != kNone && !graph.is_constant(node.inputs[kBias]);
}

struct WeightStorage {
  Storage storage = Storage::kFloat32;
  int32_t offset = 0;  // subtracted from the weights
};

// The narrowest storage below 32 bits that represents every weight exactly, if any: many files have 8-bit or 16-bit
// weights, and the GPU copy need not be larger. `quanta`: bytes may have an offset.
std::optional<WeightStorage> exact_storage(const std::vector<float>& weights, bool quanta) {
  constexpr float kLowest = -128, kHighest = 127;
  const auto is_half = [](float w) { return half_to_float(float_to_half(w)) == w; };
  const auto [least, most] = std::ranges::minmax_element(weights);
  const bool integers = std::ranges::all_of(weights, [](float w) { return w == std::floor(w); });
  if (weights.empty() || (integers && *least >= kLowest && *most <= kHighest)) return WeightStorage{Storage::kInt8};
  if (quanta && integers && *most - *least <= kHighest - kLowest) {
    return WeightStorage{Storage::kInt8, static_cast<int32_t>(*least - kLowest)};
  }
  if (std::ranges::all_of(weights, is_half)) return WeightStorage{Storage::kFloat16};
  return std::nullopt;
}

// One value per channel, padded to whole slices.
std::vector<float> pack_channels(const Graph& graph, const Node& node, size_t input,
                                 const ConvQuantization& quantization, int32_t channels) {
  std::vector<float> packed(static_cast<size_t>(channels), 0.0f);
  if (node.inputs.size() > input && node.inputs[input] != kNone && graph.is_constant(node.inputs[input])) {
    packed = conv_channels(graph, node, input, quantization);
  }
  pad_to_slices(packed);
  return packed;
}

// Two parts: the scales of the weights, and the biases.
std::vector<float> pack_scales(const Graph& graph, const Node& node, int32_t channels, const std::vector<float>& bias) {
  const std::vector<float>& scales = graph.value(node.inputs[1]).quantization.scale;
  std::vector<float> packed;
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) packed.push_back(scales[scales.size() == 1 ? 0 : c]);
  pad_to_slices(packed);
  packed.insert(packed.end(), bias.begin(), bias.end());
  return packed;
}

}  // namespace

ConvConstants add_conv_constants(Emitter& emitter, const Node& node, const ConvQuantization& quantization,
                                 std::vector<float> packed_weights, int32_t out_channels) {
  const Graph& graph = emitter.graph();
  const Sums sums = quantization.sums;
  ConvConstants constants;
  constants.quantization = quantization;
  std::optional<WeightStorage> exact = exact_storage(packed_weights, sums == Sums::kRequantized);
  if (exact && !emitter.context().limits.kernels.narrow_weights) exact = {Storage::kFloat32};
  // Rounding float weights to 16 bits would change the results of a quantized operator by more than its own rounding.
  constants.storage = exact ? exact->storage : quantization.rounds ? Storage::kFloat32 : emitter.real_storage();
  constants.weight_offset = exact ? exact->offset : 0;
  if (constants.weight_offset != 0) {
    for (float& w : packed_weights) w -= static_cast<float>(constants.weight_offset);
  }
  constants.weights = emitter.add_constants(packed_weights, constants.storage);
  // In fixed point, clamping to the range replaces the activation.
  if (sums != Sums::kRequantized) constants.activation = gpu_code(node.activation);
  const std::vector<float> bias = pack_channels(graph, node, kBias, quantization, out_channels);
  constants.bias = emitter.add_constants(bias);
  if (node.activation == Activation::kPrelu) {
    constants.slope = emitter.add_constants(pack_channels(graph, node, kSlope, quantization, out_channels));
  }
  if (sums == Sums::kRequantized) {
    std::optional<std::vector<float>> nearest = pack_nearest_factors(quantization.requantization, {});
    if (!nearest && graph.is_constant(node.inputs[1]) && !has_computed_bias(graph, node)) {
      nearest = pack_nearest_factors(quantization.requantization, most_sums(graph, node, out_channels));
    }
    constants.nearest = nearest.has_value();
    constants.factors = emitter.add_constants(nearest ? *nearest : pack_factors(quantization.requantization.factors));
    if (!node.table.empty()) {
      const std::vector<float> steps =
          steps_of_table(node.summand ? *node.summand : graph.value(node.outputs[0]), node.table);
      const int32_t lowest = quantum_range(*node.rounded, Activation::kNone).lowest;
      constants.table = emitter.add_constants(spread_table(steps)) - lowest;
    }
  } else if (sums == Sums::kDynamic) {
    // Sums start at zero; the bias is added after conversion to floats.
    const std::vector<float> zeros(bias.size(), 0.0f);
    constants.bias = emitter.add_constants(zeros);
    constants.factors = emitter.add_constants(pack_scales(graph, node, out_channels, bias));
  }
  return constants;
}

Result<ConvConstants> add_computed_weights(Emitter& emitter, const Node& node, int32_t out_channels) {
  const ConvQuantization quantization = conv_quantization(emitter, node, out_channels);
  ConvConstants constants = add_conv_constants(emitter, node, quantization, {}, out_channels);
  ComputedWeights computed;
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef data, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(computed.weights, emitter.tensor(node.inputs[1]));
  computed.bias = computed.weights;
  computed.bias_is_tensor = has_computed_bias(emitter.graph(), node);
  if (computed.bias_is_tensor) {
    SIGHTGLASS_ASSIGN_OR_RETURN(computed.bias, emitter.tensor(node.inputs[kBias]));
  }
  if (quantization.sums == Sums::kReal) computed.unit = data.scale.scale * computed.weights.scale.scale;
  constants.computed = computed;
  return constants;
}

Status check_computed_weights(const Graph& graph, const Node& node, int32_t out_channels) {
  const Value &data = graph.value(node.inputs[0]), &weights = graph.value(node.inputs[1]);
  const bool computed_bias = has_computed_bias(graph, node);
  if (weights.constant && !computed_bias) return unsupported("constant weights and bias");
  if (data.type != weights.type) {
    return unsupported("computed weights or bias with weights of " + std::string(to_string(weights.type)) +
                       " and data of " + to_string(data.type));
  }
  if (!computed_bias) return check_bias_and_slope(graph, node, out_channels);
  const Value& bias = graph.value(node.inputs[kBias]);
  if (bias.type != DataType::kFloat32 || data.type != DataType::kFloat32) {
    return unsupported("a computed bias of " + std::string(to_string(bias.type)) + "; float32 is supported");
  }
  return {};
}

Status check_conv_constants(const Graph& graph, const Node& node, int32_t out_channels) {
  if (!graph.is_constant(node.inputs[1])) {
    return unsupported("weights that are computed at run time; only constant weights are supported");
  }
  return check_bias_and_slope(graph, node, out_channels);
}

Status check_bias_and_slope(const Graph& graph, const Node& node, int32_t out_channels) {
  for (const size_t input : {kBias, kSlope}) {
    if (node.inputs.size() <= input || node.inputs[input] == kNone) continue;
    if (!graph.is_constant(node.inputs[input])) return unsupported("a bias or slope that is computed at run time");
    if (graph.value(node.inputs[input]).shape.elements() != out_channels) {
      return unsupported("a bias or slope of " + graph.value(node.inputs[input]).shape.to_string() + " for " +
                         std::to_string(out_channels) + " channels");
    }
  }
  return {};
}

}  // namespace sightglass

#include "graph/lstm_integers.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu_engine/quoted.h"
#include "graph/fixed_functions.h"

namespace sightglass::lstm {
namespace {

float scale_of(const Graph& graph, const Node& node, size_t input) {
  return graph.value(node.inputs[input]).quantization.scale[0];
}

// Clips bound the stored integers, not their distance from the zero point.
QuantumRange clipped(QuantumRange range, float clip, float scale, int32_t zero_point, const QuantumRange& stored) {
  const int32_t bound = std::min(saturated(double{clip / scale}), stored.highest);
  if (bound <= 0) return range;
  return {std::max(range.lowest, -bound - zero_point), std::min(range.highest, bound - zero_point)};
}

constexpr QuantumRange kInt8Range{-128, 127};

// log2 of the scale of the cells.
int cell_exponent(float scale) { return static_cast<int>(std::lround(std::log2(scale))); }

// Valid cell scales for the fixed-point tanh; files round their scales.
bool is_cell_scale(float scale) {
  constexpr int kLowest = -15, kHighest = kMaxTanhBits - 15;
  constexpr float kTolerance = 1e-3f;
  if (!(scale > 0) || !std::isfinite(scale)) return false;
  const int exponent = cell_exponent(scale);
  return exponent >= kLowest && exponent <= kHighest && std::abs(std::log2(scale) - exponent) < kTolerance;
}

Status wrong(const Value& value, const std::string& what) {
  return unsupported("tensor " + quote(value.name) + " " + what +
                     ", which an integer LSTM cannot read; use the float32 version of the model");
}

Status need(const Graph& graph, const Node& node, size_t input, DataType type) {
  const Value& value = graph.value(node.inputs[input]);
  if (value.type == type) return {};
  return wrong(value, std::string("is ") + to_string(value.type) + ", not " + to_string(type));
}

Status need_scale(const Value& value) {
  const std::vector<float>& scale = value.quantization.scale;
  if (scale.size() == 1 && scale[0] > 0 && std::isfinite(scale[0])) return {};
  return wrong(value, "has no single positive scale");
}

Status check_weights(const Graph& graph, const Node& node, size_t input, DataType type) {
  if (!has_input(node, input)) return {};
  const Value& value = graph.value(node.inputs[input]);
  SIGHTGLASS_RETURN_IF_ERROR(need(graph, node, input, type));
  SIGHTGLASS_RETURN_IF_ERROR(need_scale(value));
  return zero_point(value) == 0 ? Status() : wrong(value, "has the zero point " + std::to_string(zero_point(value)));
}

}  // namespace

Status check_integers(const Graph& graph, const Node& node) {
  const auto& attr = std::get<LstmAttr>(node.attributes);
  for (const size_t input : {kData, kHidden}) {
    SIGHTGLASS_RETURN_IF_ERROR(need(graph, node, input, DataType::kInt8));
    SIGHTGLASS_RETURN_IF_ERROR(need_scale(graph.value(node.inputs[input])));
  }
  for (size_t gate = 0; gate < kGates; ++gate) {
    SIGHTGLASS_RETURN_IF_ERROR(check_weights(graph, node, kInputWeights + gate, DataType::kInt8));
    SIGHTGLASS_RETURN_IF_ERROR(check_weights(graph, node, kRecurrentWeights + gate, DataType::kInt8));
    if (gate < 3) SIGHTGLASS_RETURN_IF_ERROR(check_weights(graph, node, kPeephole + gate, DataType::kInt16));
    if (has_input(node, kBias + gate)) SIGHTGLASS_RETURN_IF_ERROR(need(graph, node, kBias + gate, DataType::kInt32));
    if (has_input(node, kNorm + gate)) {
      return unsupported("layer normalization in integers is not supported; use the float32 version of the model");
    }
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_weights(graph, node, kProjection, DataType::kInt8));
  if (has_input(node, kProjectionBias))
    SIGHTGLASS_RETURN_IF_ERROR(need(graph, node, kProjectionBias, DataType::kInt32));
  const Value& cells = graph.value(node.inputs[kCell]);
  SIGHTGLASS_RETURN_IF_ERROR(need_scale(cells));
  if (!is_cell_scale(cells.quantization.scale[0]) || zero_point(cells) != 0) {
    return wrong(cells, "has the scale " + std::to_string(cells.quantization.scale[0]) + " and the zero point " +
                            std::to_string(zero_point(cells)) + ", not a power of two from 2^-15 to 2^-9 and 0");
  }
  const Value& hidden = graph.value(node.inputs[kHidden]);
  if (!has_input(node, kProjection) && zero_point(hidden) != attr.made_zero_point) {
    return wrong(hidden, "has the zero point " + std::to_string(zero_point(hidden)) +
                             ", but the outputs of the cells have " + std::to_string(attr.made_zero_point));
  }
  if (attr.activation != Activation::kTanh || !(attr.made_scale > 0) || !std::isfinite(attr.made_scale)) {
    return unsupported(
        "an integer LSTM without TANH, or without a scale for the outputs of its cells; use the float32 version "
        "of the model");
  }
  return {};
}

Status check_integer_outputs(const Graph& graph, const Node& node) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const Value& output = graph.value(node.outputs[i]);
    const bool right = is_quantized(output) && output.type == (i == 2 ? DataType::kInt16 : DataType::kInt8);
    if (!right) {
      return unsupported("tensor " + quote(output.name) + " is " + to_string(output.type) +
                         ", which an integer LSTM cannot output; use the float32 version of the model");
    }
  }
  return {};
}

// Multiplies scales in 32 bits, like the reference kernels of TensorFlow Lite.
IntegerFactors integer_factors(const Graph& graph, const Node& node) {
  const auto& attr = std::get<LstmAttr>(node.attributes);
  const float sums = std::ldexp(1.0f, kGateBits - 15);
  const float data = scale_of(graph, node, kData), hidden = scale_of(graph, node, kHidden);
  const int exponent = cell_exponent(scale_of(graph, node, kCell));
  const int32_t hidden_zero = zero_point(graph.value(node.inputs[kHidden]));
  const auto factor = [&](float from, size_t input) {
    return has_input(node, input) ? to_fixed_point(double{scale_of(graph, node, input) * from / sums}) : FixedPoint{};
  };
  IntegerFactors factors;
  for (size_t gate = 0; gate < kGates; ++gate) {
    factors.gates[gate] = {factor(data, kInputWeights + gate), factor(hidden, kRecurrentWeights + gate),
                           gate == kCellGate ? FixedPoint{} : factor(std::ldexp(1.0f, exponent), peephole_input(gate))};
  }
  factors.cell_bits = exponent + 15;
  factors.cells = clipped(kInt16Range, attr.cell_clip, scale_of(graph, node, kCell), 0, kInt16Range);
  const auto one_step_of_both = static_cast<float>(0x1p-15 / double{attr.made_scale} * 0x1p-15);
  factors.made = to_fixed_point(double{one_step_of_both});
  factors.made_range = {kInt8Range.lowest - attr.made_zero_point, kInt8Range.highest - attr.made_zero_point};
  factors.outputs = {kInt8Range.lowest - hidden_zero, kInt8Range.highest - hidden_zero};
  if (has_input(node, kProjection)) {
    factors.projection = to_fixed_point(double{scale_of(graph, node, kProjection) * attr.made_scale / hidden});
    factors.outputs = clipped(factors.outputs, attr.projection_clip, hidden, hidden_zero, kInt8Range);
  }
  return factors;
}

int32_t output_offset(const Graph& graph, const Node& node) {
  return zero_point(graph.value(node.inputs[kHidden])) - zero_point(graph.value(node.outputs[0]));
}

}  // namespace sightglass::lstm

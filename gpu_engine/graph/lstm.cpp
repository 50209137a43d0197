#include "graph/lstm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu_engine/quoted.h"
#include "graph/fixed_point.h"

namespace sightglass::lstm {

namespace {

bool is_basic(const Node& node) { return std::get<LstmAttr>(node.attributes).basic; }

// Splits the matrix of the basic form: each row has the weights of the data, then those of the hidden state.
void unpack_basic(const Sizes& sizes, const std::vector<float>& weights, const std::vector<float>& bias, Weights& to) {
  constexpr std::array kOrder{kInputGate, kCellGate, kForgetGate, kOutputGate};
  const auto cells = static_cast<size_t>(sizes.cells), depth = static_cast<size_t>(sizes.depth);
  const size_t row = depth + static_cast<size_t>(sizes.outputs);
  for (size_t block = 0; block < kGates; ++block) {
    const Gate gate = kOrder[block];
    for (size_t cell = 0; cell < cells; ++cell) {
      const auto from = weights.begin() + static_cast<std::ptrdiff_t>((block * cells + cell) * row);
      const auto middle = from + static_cast<std::ptrdiff_t>(depth);
      to.input[gate].insert(to.input[gate].end(), from, middle);
      to.recurrent[gate].insert(to.recurrent[gate].end(), middle, from + static_cast<std::ptrdiff_t>(row));
      to.bias[gate].push_back(bias[block * cells + cell]);
    }
  }
}

}  // namespace

size_t hidden_input(const Node& node) { return is_basic(node) ? kBasicHidden : kHidden; }
size_t cell_input(const Node& node) { return is_basic(node) ? kBasicCell : kCell; }

bool is_activation(const Node& node, size_t index) {
  return index == kData || index == hidden_input(node) || index == cell_input(node);
}

bool in_integers(const Graph& graph, const Node& node) {
  return graph.value(node.inputs[cell_input(node)]).type == DataType::kInt16;
}

Sizes sizes_of(const Graph& graph, const Node& node) {
  const Shape& data = graph.value(node.inputs[kData]).shape;
  const Shape& hidden = graph.value(node.inputs[hidden_input(node)]).shape;
  const bool sequence = data.rank() == 3;
  const bool time_major = std::get<LstmAttr>(node.attributes).time_major;
  Sizes sizes;
  sizes.batch = data.dim(sequence && time_major ? 1 : 0);
  sizes.time = sequence ? data.dim(time_major ? 0 : 1) : 1;
  sizes.depth = data.dim(data.rank() - 1);
  sizes.outputs = hidden.dim(1);
  sizes.cells = graph.value(node.inputs[cell_input(node)]).shape.dim(1);
  return sizes;
}

Weights unpack(const Graph& graph, const Node& node, const std::function<std::vector<float>(size_t)>& operand) {
  Weights weights;
  if (is_basic(node)) {
    unpack_basic(sizes_of(graph, node), operand(kBasicWeights), operand(kBasicBias), weights);
    return weights;
  }
  const auto optional = [&](size_t input) {
    const bool present = input < node.inputs.size() && node.inputs[input] != kNone;
    return present ? operand(input) : std::vector<float>();
  };
  for (size_t gate = 0; gate < kGates; ++gate) {
    weights.input[gate] = optional(kInputWeights + gate);
    weights.recurrent[gate] = optional(kRecurrentWeights + gate);
    weights.bias[gate] = optional(kBias + gate);
    weights.norm[gate] = optional(kNorm + gate);
  }
  for (size_t i = 0; i < weights.peephole.size(); ++i) weights.peephole[i] = optional(kPeephole + i);
  weights.projection = optional(kProjection);
  weights.projection_bias = optional(kProjectionBias);
  return weights;
}

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

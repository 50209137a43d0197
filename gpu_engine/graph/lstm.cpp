#include "graph/lstm.h"

#include <algorithm>

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

}  // namespace sightglass::lstm

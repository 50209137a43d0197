// Scales and bounds of an integer LSTM, as in the TensorFlow Lite kernel: every result is rounded to integers at once,
// and the next run starts from these.
#pragma once

#include <array>

#include "graph/lstm.h"
#include "graph/quantized.h"

namespace sightglass::lstm {

// Gate sums and cells are int16 with their own steps. Sigmoid and tanh are in steps of 2^-15.
inline constexpr QuantumRange kInt16Range{-32768, 32767};
inline constexpr int kGateBits = 3;  // integer bits: gate sums are in steps of 2^-12

// Fails with kUnsupported, naming the tensor, if inputs or attributes are not those of an integer LSTM.
Status check_integers(const Graph& graph, const Node& node);
// The same for the outputs.
Status check_integer_outputs(const Graph& graph, const Node& node);

// Factors from products to gate sums.
struct GateFactors {
  FixedPoint data, recurrent, peephole;
};

struct IntegerFactors {
  std::array<GateFactors, kGates> gates;
  int cell_bits = 0;  // integer bits of cells
  QuantumRange cells;
  FixedPoint made;  // from sigmoid times tanh to the outputs of the cells
  QuantumRange made_range;
  FixedPoint projection;
  QuantumRange outputs;
};
// Ranges are in steps relative to zero points.
IntegerFactors integer_factors(const Graph& graph, const Node& node);
// Outputs are the integers of the hidden state plus this difference of zero points.
int32_t output_offset(const Graph& graph, const Node& node);

// Index of the peephole input of a gate; the cell gate has none.
inline size_t peephole_input(size_t gate) { return kPeephole + (gate == kOutputGate ? 2 : gate); }
inline bool has_input(const Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNone;
}

}  // namespace sightglass::lstm

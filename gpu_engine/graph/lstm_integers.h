// How an LSTM of integers scales and bounds its numbers, as TensorFlow Lite's kernel does: whatever is computed is
// rounded to integers at once, and the next run goes on from there.
#pragma once

#include <array>

#include "graph/lstm.h"
#include "graph/quantized.h"

namespace sightglass::lstm {

// The sums of gates and the cells are int16, in steps of their own; sigmoid and tanh are in steps of 2^-15.
inline constexpr QuantumRange kInt16Range{-32768, 32767};
inline constexpr int kGateBits = 3;  // before the point: sums of gates are in steps of 2^-12

// Fails with kUnsupported where inputs or attributes are not those of an LSTM of integers, naming the tensor.
Status check_integers(const Graph& graph, const Node& node);
// The same of the outputs.
Status check_integer_outputs(const Graph& graph, const Node& node);

// What products become sums of gates by.
struct GateFactors {
  FixedPoint data, recurrent, peephole;
};

struct IntegerFactors {
  std::array<GateFactors, kGates> gates;
  int cell_bits = 0;  // of cells, before the point
  QuantumRange cells;
  FixedPoint made;  // from sigmoid times tanh to the cells' outputs
  QuantumRange made_range;
  FixedPoint projection;
  QuantumRange outputs;
};
// Ranges are in steps from zero points.
IntegerFactors integer_factors(const Graph& graph, const Node& node);
// Outputs are the integers of the hidden state: what the zero points differ by is added to their steps.
int32_t output_offset(const Graph& graph, const Node& node);

// Which input is the peephole of a gate; the cell gate has none.
inline size_t peephole_input(size_t gate) { return kPeephole + (gate == kOutputGate ? 2 : gate); }
inline bool has_input(const Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNone;
}

}  // namespace sightglass::lstm

// Operands of an LSTM node, in either of its two forms.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "graph/quantized.h"

namespace sightglass::lstm {

// Gates, in the order of their operands.
enum Gate : uint8_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
inline constexpr size_t kGates = 4;

// Inputs of the full form. Four consecutive inputs belong to one per gate; kPeephole has three, for input, forget and
// output gate. Those of the input gate are absent if it is coupled to the forget gate: 1 - forget.
inline constexpr size_t kData = 0;  // [batch, depth], or a sequence: [batch, time, depth] or [time, batch, depth]
inline constexpr size_t kInputWeights = 1;      // [cells, depth]
inline constexpr size_t kRecurrentWeights = 5;  // [cells, outputs]
inline constexpr size_t kPeephole = 9;          // [cells] or absent
inline constexpr size_t kBias = 12;             // [cells]
inline constexpr size_t kProjection = 16;       // [outputs, cells], or absent: the outputs are those of the cells
inline constexpr size_t kProjectionBias = 17;   // [outputs] or absent
inline constexpr size_t kHidden = 18;           // state, [batch, outputs]
inline constexpr size_t kCell = 19;             // state, [batch, cells]
inline constexpr size_t kNorm = 20;             // layer normalization, [cells] or absent
inline constexpr size_t kInputs = 24;
// Inputs of the basic form: data, hidden state, weights [4 * cells, depth + outputs] of the gates in the order input,
// cell, forget, output, biases [4 * cells], cell state.
inline constexpr size_t kBasicHidden = 1, kBasicWeights = 2, kBasicBias = 3, kBasicCell = 4, kBasicInputs = 5;

// Index of the state input.
size_t hidden_input(const Node& node);
size_t cell_input(const Node& node);
// Whether input `index` is data or state, which change from run to run. The others are constants.
bool is_activation(const Node& node, size_t index);

// Whether it is computed in integers: 8-bit data and hidden state, 16-bit cells. Otherwise in floats.
bool in_integers(const Graph& graph, const Node& node);

struct Sizes {
  int32_t batch = 0, time = 1, depth = 0, cells = 0, outputs = 0;
};
// Requires checked shapes.
Sizes sizes_of(const Graph& graph, const Node& node);

// Tightly packed, by gate; empty if absent.
struct Weights {
  std::array<std::vector<float>, kGates> input, recurrent, bias, norm;
  std::array<std::vector<float>, 3> peephole;  // of input, forget and output gate
  std::vector<float> projection, projection_bias;
  bool coupled() const { return input[kInputGate].empty(); }
  bool normalized() const { return !norm[kForgetGate].empty(); }
};
// `operand` returns the values of an input that is present.
Weights unpack(const Graph& graph, const Node& node, const std::function<std::vector<float>(size_t)>& operand);

// Scales and bounds of an integer LSTM, as in the TensorFlow Lite kernel: every result is rounded to integers at once,
// and the next run starts from these.

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

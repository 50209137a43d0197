#include "gpu_engine/quoted.h"
#include "graph/lstm.h"
#include "graph/lstm_integers.h"
#include "graph/shapes/special_shapes.h"

namespace sightglass {

namespace {

using lstm::kGates;

// The operands of one LSTM, and how to complain about them.
class LstmInference {
 public:
  LstmInference(const Graph& graph, const Node& node)
      : graph_(graph), node_(node), basic_(std::get<LstmAttr>(node.attributes).basic) {}

  Result<std::vector<Shape>> infer();

 private:
  bool has(size_t input) const { return input < node_.inputs.size() && node_.inputs[input] != kNone; }
  const Shape& shape(size_t input) const { return graph_.value(node_.inputs[input]).shape; }
  std::string title() const {
    const std::string op = node_.origin.empty() ? std::string(to_string(node_.op)) : node_.origin;
    return op + (node_.outputs.empty() ? "" : " (output " + quoted(graph_.value(node_.outputs[0]).name) + ")");
  }
  Status wrong(const std::string& what) const { return invalid_model(title() + ": " + what); }
  Status need(size_t input, const Shape& expected) const;
  Status need_if_present(size_t input, const Shape& expected) const;
  // All that make up one operand a gate; the input gate's may be absent as a whole.
  Status need_gates(size_t first, const Shape& expected, bool coupled) const;
  Status check_basic(const lstm::Sizes& sizes) const;
  Status check_full(const lstm::Sizes& sizes) const;
  // Data and states are all real numbers, or all integers.
  Status check_numbers() const;

  const Graph& graph_;
  const Node& node_;
  const bool basic_;
};

Status LstmInference::need(size_t input, const Shape& expected) const {
  if (!has(input)) return wrong("input " + std::to_string(input) + " is missing");
  if (shape(input) == expected) return {};
  return wrong("input " + quoted(graph_.value(node_.inputs[input]).name) + " of shape " + shape(input).to_string() +
               " should be " + expected.to_string());
}

Status LstmInference::need_if_present(size_t input, const Shape& expected) const {
  return has(input) ? need(input, expected) : Status();
}

Status LstmInference::need_gates(size_t first, const Shape& expected, bool coupled) const {
  if (coupled && has(first)) return wrong("its input gate has some of its operands, but not all");
  for (size_t gate = coupled ? 1 : 0; gate < kGates; ++gate) SG_RETURN_IF_ERROR(need(first + gate, expected));
  return {};
}

Status LstmInference::check_basic(const lstm::Sizes& sizes) const {
  if (sizes.cells != sizes.outputs) return wrong("its states have different sizes");
  const int64_t rows = int64_t{4} * sizes.cells, columns = int64_t{sizes.depth} + sizes.outputs;
  if (rows > INT32_MAX || columns > INT32_MAX) return wrong("it is too large");
  SG_RETURN_IF_ERROR(need(lstm::kBasicWeights, Shape{static_cast<int32_t>(rows), static_cast<int32_t>(columns)}));
  return need(lstm::kBasicBias, Shape{static_cast<int32_t>(rows)});
}

Status LstmInference::check_full(const lstm::Sizes& sizes) const {
  const Shape per_cell{sizes.cells};
  const bool coupled = !has(lstm::kInputWeights);
  SG_RETURN_IF_ERROR(need_gates(lstm::kInputWeights, Shape{sizes.cells, sizes.depth}, coupled));
  SG_RETURN_IF_ERROR(need_gates(lstm::kRecurrentWeights, Shape{sizes.cells, sizes.outputs}, coupled));
  SG_RETURN_IF_ERROR(need_gates(lstm::kBias, per_cell, coupled));
  for (size_t i = 0; i < 3; ++i) SG_RETURN_IF_ERROR(need_if_present(lstm::kPeephole + i, per_cell));
  // Peepholes come all together, but for that of a coupled input gate; so do the factors of the normalisation.
  const bool forget = has(lstm::kPeephole + 1);
  if (has(lstm::kPeephole + 2) != forget || has(lstm::kPeephole) != (forget && !coupled)) {
    return wrong("it has some of its peephole weights, but not all");
  }
  if (has(lstm::kNorm + lstm::kForgetGate)) {
    SG_RETURN_IF_ERROR(need_gates(lstm::kNorm, per_cell, coupled));
  } else if (has(lstm::kNorm) || has(lstm::kNorm + lstm::kCellGate) || has(lstm::kNorm + lstm::kOutputGate)) {
    return wrong("it has some of its layer normalisation's factors, but not all");
  }
  if (!has(lstm::kProjection)) {
    if (has(lstm::kProjectionBias)) return wrong("it has a bias of a projection, but no projection");
    return sizes.cells == sizes.outputs ? Status() : wrong("without a projection its states must have one size");
  }
  SG_RETURN_IF_ERROR(need(lstm::kProjection, Shape{sizes.outputs, sizes.cells}));
  return need_if_present(lstm::kProjectionBias, Shape{sizes.outputs});
}

Status LstmInference::check_numbers() const {
  if (!basic_ && lstm::in_integers(graph_, node_)) return lstm::check_integers(graph_, node_).with_context(title());
  for (const size_t input : {lstm::kData, lstm::hidden_input(node_), lstm::cell_input(node_)}) {
    const Value& value = graph_.value(node_.inputs[input]);
    if (value.type == DataType::kFloat32) continue;
    return unsupported(title() + ": tensor " + quoted(value.name) + " is " + to_string(value.type) +
                       "; data and states are all float32, or int8 with cells of int16");
  }
  return {};
}

Result<std::vector<Shape>> LstmInference::infer() {
  const size_t least = basic_ ? lstm::kBasicInputs : lstm::kNorm;
  const size_t most = basic_ ? lstm::kBasicInputs : lstm::kInputs;
  if (node_.inputs.size() < least || node_.inputs.size() > most) {
    return wrong("it has " + std::to_string(node_.inputs.size()) + " inputs, not " + std::to_string(least) +
                 (least == most ? "" : " to " + std::to_string(most)));
  }
  const size_t hidden = lstm::hidden_input(node_), cell = lstm::cell_input(node_);
  for (const size_t input : {lstm::kData, hidden, cell}) {
    if (!has(input)) return wrong("input " + std::to_string(input) + " is missing");
  }
  const Shape& data = shape(lstm::kData);
  if (data.rank() != 2 && (data.rank() != 3 || basic_)) {
    return wrong("its data of shape " + data.to_string() + " needs two dimensions, or three of a sequence");
  }
  if (shape(hidden).rank() != 2 || shape(cell).rank() != 2) return wrong("its states need two dimensions");
  if (data.elements() == 0 || shape(hidden).elements() == 0 || shape(cell).elements() == 0) {
    return wrong("its data or states have no elements");
  }
  const lstm::Sizes sizes = lstm::sizes_of(graph_, node_);
  if (shape(hidden).dim(0) != sizes.batch || shape(cell).dim(0) != sizes.batch) {
    return wrong("its states are not of the batch of its data " + data.to_string());
  }
  SG_RETURN_IF_ERROR(basic_ ? check_basic(sizes) : check_full(sizes));
  SG_RETURN_IF_ERROR(check_numbers());
  Shape out = data;
  out.set_dim(data.rank() - 1, sizes.outputs);
  return std::vector<Shape>{out, shape(hidden), shape(cell)};
}

}  // namespace

Result<std::vector<Shape>> infer_lstm(const Graph& graph, const Node& node) {
  return LstmInference(graph, node).infer();
}

}  // namespace sightglass

#include "graph/lstm.h"
#include "graph/shapes/node_shapes.h"

namespace sightglass {

namespace {

using lstm::kGates;

// Checks the operands of one LSTM.
class LstmInference {
 public:
  explicit LstmInference(const NodeShapes& n) : n_(n), basic_(n.attributes<LstmAttr>().basic) {}

  Result<std::vector<Shape>> infer();

 private:
  Status need(size_t input, const Shape& expected) const;
  Status need_if_present(size_t input, const Shape& expected) const;
  // Checks an operand of all gates. Those of the input gate may all be absent.
  Status need_gates(size_t first, const Shape& expected, bool coupled) const;
  Status check_basic(const lstm::Sizes& sizes) const;
  Status check_full(const lstm::Sizes& sizes) const;
  // Checks that data and states are all floats or all integers.
  Status check_numbers() const;

  const NodeShapes& n_;
  const bool basic_;
};

Status LstmInference::need(size_t input, const Shape& expected) const {
  if (!n_.has(input)) return n_.wrong("input " + std::to_string(input) + " is missing");
  if (n_.shape(input) == expected) return {};
  return n_.wrong_input(input, "should be " + expected.to_string());
}

Status LstmInference::need_if_present(size_t input, const Shape& expected) const {
  return n_.has(input) ? need(input, expected) : Status();
}

Status LstmInference::need_gates(size_t first, const Shape& expected, bool coupled) const {
  if (coupled && n_.has(first)) return n_.wrong("its input gate has some of its operands, but not all");
  for (size_t gate = coupled ? 1 : 0; gate < kGates; ++gate) SIGHTGLASS_RETURN_IF_ERROR(need(first + gate, expected));
  return {};
}

Status LstmInference::check_basic(const lstm::Sizes& sizes) const {
  if (sizes.cells != sizes.outputs) return n_.wrong("its states have different sizes");
  const int64_t rows = int64_t{4} * sizes.cells, columns = int64_t{sizes.depth} + sizes.outputs;
  if (rows > INT32_MAX || columns > INT32_MAX) return n_.wrong("it is too large");
  SIGHTGLASS_RETURN_IF_ERROR(
      need(lstm::kBasicWeights, Shape{static_cast<int32_t>(rows), static_cast<int32_t>(columns)}));
  return need(lstm::kBasicBias, Shape{static_cast<int32_t>(rows)});
}

Status LstmInference::check_full(const lstm::Sizes& sizes) const {
  const Shape per_cell{sizes.cells};
  const bool coupled = !n_.has(lstm::kInputWeights);
  SIGHTGLASS_RETURN_IF_ERROR(need_gates(lstm::kInputWeights, Shape{sizes.cells, sizes.depth}, coupled));
  SIGHTGLASS_RETURN_IF_ERROR(need_gates(lstm::kRecurrentWeights, Shape{sizes.cells, sizes.outputs}, coupled));
  SIGHTGLASS_RETURN_IF_ERROR(need_gates(lstm::kBias, per_cell, coupled));
  for (size_t i = 0; i < 3; ++i) SIGHTGLASS_RETURN_IF_ERROR(need_if_present(lstm::kPeephole + i, per_cell));
  // Peepholes are all present or all absent, except that of a coupled input gate. So are the factors of the
  // normalization.
  const bool forget = n_.has(lstm::kPeephole + 1);
  if (n_.has(lstm::kPeephole + 2) != forget || n_.has(lstm::kPeephole) != (forget && !coupled)) {
    return n_.wrong("it has some of its peephole weights, but not all");
  }
  if (n_.has(lstm::kNorm + lstm::kForgetGate)) {
    SIGHTGLASS_RETURN_IF_ERROR(need_gates(lstm::kNorm, per_cell, coupled));
  } else if (n_.has(lstm::kNorm) || n_.has(lstm::kNorm + lstm::kCellGate) || n_.has(lstm::kNorm + lstm::kOutputGate)) {
    return n_.wrong("it has some of its layer normalization factors, but not all");
  }
  if (!n_.has(lstm::kProjection)) {
    if (n_.has(lstm::kProjectionBias)) return n_.wrong("it has a projection bias, but no projection");
    return sizes.cells == sizes.outputs ? Status() : n_.wrong("without a projection its states must have one size");
  }
  SIGHTGLASS_RETURN_IF_ERROR(need(lstm::kProjection, Shape{sizes.outputs, sizes.cells}));
  return need_if_present(lstm::kProjectionBias, Shape{sizes.outputs});
}

Status LstmInference::check_numbers() const {
  if (!basic_ && lstm::in_integers(n_.graph(), n_.node()))
    return lstm::check_integers(n_.graph(), n_.node()).with_context(n_.subject());
  for (const size_t input : {lstm::kData, lstm::hidden_input(n_.node()), lstm::cell_input(n_.node())}) {
    const Value& value = n_.graph().value(n_.node().inputs[input]);
    if (value.type == DataType::kFloat32) continue;
    return unsupported(n_.subject() + ": tensor " + quote(value.name) + " is " + to_string(value.type) +
                       "; data and states are all float32, or int8 with cells of int16");
  }
  return {};
}

Result<std::vector<Shape>> LstmInference::infer() {
  const size_t least = basic_ ? lstm::kBasicInputs : lstm::kNorm;
  const size_t most = basic_ ? lstm::kBasicInputs : lstm::kInputs;
  if (n_.node().inputs.size() < least || n_.node().inputs.size() > most) {
    return n_.wrong("it has " + std::to_string(n_.node().inputs.size()) + " inputs, not " + std::to_string(least) +
                    (least == most ? "" : " to " + std::to_string(most)));
  }
  const size_t hidden = lstm::hidden_input(n_.node()), cell = lstm::cell_input(n_.node());
  for (const size_t input : {lstm::kData, hidden, cell}) {
    if (!n_.has(input)) return n_.wrong("input " + std::to_string(input) + " is missing");
  }
  const Shape& data = n_.shape(lstm::kData);
  if (data.rank() != 2 && (data.rank() != 3 || basic_)) {
    return n_.wrong("its data of shape " + data.to_string() + " needs two dimensions, or three of a sequence");
  }
  if (n_.shape(hidden).rank() != 2 || n_.shape(cell).rank() != 2) return n_.wrong("its states need two dimensions");
  if (data.elements() == 0 || n_.shape(hidden).elements() == 0 || n_.shape(cell).elements() == 0) {
    return n_.wrong("its data or states have no elements");
  }
  const lstm::Sizes sizes = lstm::sizes_of(n_.graph(), n_.node());
  if (n_.shape(hidden).dim(0) != sizes.batch || n_.shape(cell).dim(0) != sizes.batch) {
    return n_.wrong("its states do not have the batch of its data " + data.to_string());
  }
  SIGHTGLASS_RETURN_IF_ERROR(basic_ ? check_basic(sizes) : check_full(sizes));
  SIGHTGLASS_RETURN_IF_ERROR(check_numbers());
  Shape out = data;
  out.set_dim(data.rank() - 1, sizes.outputs);
  return std::vector<Shape>{out, n_.shape(hidden), n_.shape(cell)};
}

}  // namespace

Result<std::vector<Shape>> infer_lstm(const NodeShapes& n) { return LstmInference(n).infer(); }

}  // namespace sightglass

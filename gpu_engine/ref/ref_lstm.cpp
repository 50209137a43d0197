// Float LSTM, step by step in double precision.
#include <algorithm>
#include <cmath>

#include "graph/fixed_point.h"
#include "graph/lstm.h"
#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {

namespace {

using Reals = std::vector<double>;

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double clip(double x, double bound) { return bound > 0 ? std::clamp(x, -bound, bound) : x; }

// Adds the row-major matrix times `v`.
void add_product(const std::vector<float>& matrix, const Reals& v, Reals& to) {
  size_t at = 0;
  for (double& sum : to) {
    for (const double x : v) sum += x * matrix[at++];
  }
}

void normalize(const std::vector<float>& factors, const std::vector<float>& bias, Reals& v) {
  constexpr double kSmallest = 1e-8;
  double mean = 0, variance = 0;
  for (const double x : v) mean += x / static_cast<double>(v.size());
  for (const double x : v) variance += (x - mean) * (x - mean) / static_cast<double>(v.size());
  const double scale = 1.0 / std::sqrt(variance + kSmallest);
  for (size_t i = 0; i < v.size(); ++i) v[i] = (v[i] - mean) * scale * factors[i] + bias[i];
}

struct Cell {
  const LstmAttr& attr;
  const lstm::Weights& weights;

  double activate(double x) const { return apply(attr.activation, static_cast<float>(x)); }

  // Sums of a gate, whose peephole reads the cells `c`.
  Reals gate(lstm::Gate gate, const Reals& data, const Reals& hidden, const Reals& c) const {
    Reals sums(c.size(), 0.0);
    if (!weights.normalized()) std::ranges::copy(weights.bias[gate], sums.begin());
    add_product(weights.input[gate], data, sums);
    add_product(weights.recurrent[gate], hidden, sums);
    const std::vector<float>* peephole = gate == lstm::kCellGate     ? nullptr
                                         : gate == lstm::kOutputGate ? &weights.peephole[2]
                                                                     : &weights.peephole[gate];
    for (size_t i = 0; peephole != nullptr && i < peephole->size(); ++i) sums[i] += (*peephole)[i] * c[i];
    if (weights.normalized()) normalize(weights.norm[gate], weights.bias[gate], sums);
    return sums;
  }

  // One time step.
  void advance(const Reals& data, Reals& hidden, Reals& c) const {
    const Reals f = gate(lstm::kForgetGate, data, hidden, c), g = gate(lstm::kCellGate, data, hidden, c);
    const Reals i = weights.coupled() ? Reals() : gate(lstm::kInputGate, data, hidden, c);
    for (size_t k = 0; k < c.size(); ++k) {
      const double keep = sigmoid(f[k]), take = weights.coupled() ? 1.0 - keep : sigmoid(i[k]);
      c[k] = clip(keep * c[k] + take * activate(g[k]), attr.cell_clip);
    }
    Reals made = gate(lstm::kOutputGate, data, hidden, c);
    for (size_t k = 0; k < c.size(); ++k) made[k] = sigmoid(made[k]) * activate(c[k]);
    if (weights.projection.empty()) {
      hidden = made;
    } else {
      std::ranges::fill(hidden, 0.0);
      std::ranges::copy(weights.projection_bias, hidden.begin());
      add_product(weights.projection, made, hidden);
      for (double& h : hidden) h = clip(h, attr.projection_clip);
    }
  }
};

}  // namespace

void lstm(const Call& call, std::vector<HostTensor>& out) {
  if (lstm::in_integers(call.graph, call.node)) return lstm_of_integers(call, out);
  const auto& attr = call.attributes<LstmAttr>();
  const lstm::Sizes sizes = lstm::sizes_of(call.graph, call.node);
  const lstm::Weights weights = lstm::unpack(call.graph, call.node, [&](size_t i) { return call.real(i); });
  const Cell cell{attr, weights};

  const std::vector<float> data = call.real(lstm::kData);
  std::vector<float> hidden = call.real(lstm::hidden_input(call.node)), cells = call.real(lstm::cell_input(call.node));
  const auto depth = static_cast<size_t>(sizes.depth), outputs = static_cast<size_t>(sizes.outputs);
  const auto cell_count = static_cast<size_t>(sizes.cells);
  const auto batches = static_cast<size_t>(sizes.batch), times = static_cast<size_t>(sizes.time);
  std::vector<float> made(batches * times * outputs);
  for (size_t b = 0; b < batches; ++b) {
    const auto row = [b](std::vector<float>& all, size_t length) { return std::span(all).subspan(b * length, length); };
    const auto hidden_row = row(hidden, outputs), cell_row = row(cells, cell_count);
    Reals h(hidden_row.begin(), hidden_row.end()), c(cell_row.begin(), cell_row.end());
    for (size_t t = 0; t < times; ++t) {
      const size_t at = attr.time_major ? t * batches + b : b * times + t;
      const auto from = data.begin() + static_cast<std::ptrdiff_t>(at * depth);
      cell.advance(Reals(from, from + static_cast<std::ptrdiff_t>(depth)), h, c);
      std::ranges::copy(h, made.begin() + static_cast<std::ptrdiff_t>(at * outputs));
    }
    std::ranges::copy(h, hidden_row.begin());
    std::ranges::copy(c, cell_row.begin());
  }
  std::ranges::copy(made, out[0].as<float>().begin());
  std::ranges::copy(hidden, out[1].as<float>().begin());
  std::ranges::copy(cells, out[2].as<float>().begin());
}

// Integer LSTM, bit-exact with the TensorFlow Lite kernel.

namespace {

using lstm::kGates;
using Integers = std::vector<int32_t>;

int32_t clamp(int64_t x, const QuantumRange& range) {
  return static_cast<int32_t>(std::clamp<int64_t>(x, range.lowest, range.highest));
}

int32_t int16(int64_t x) { return clamp(x, lstm::kInt16Range); }

int32_t divide(int32_t x, int exponent) {
  return static_cast<int32_t>(divide_by_power_of_two(x, exponent, Ties::kAwayFromZero));
}

// A row of the row-major matrix times `v`, plus `sum`.
int32_t row_product(const std::vector<float>& matrix, size_t row, const Integers& v, int64_t sum) {
  for (size_t i = 0; i < v.size(); ++i) sum += int64_t{v[i]} * static_cast<int64_t>(matrix[row * v.size() + i]);
  return saturated(static_cast<double>(sum));
}

struct IntegerCell {
  const lstm::Weights& weights;
  const lstm::IntegerFactors& factors;

  // Sum of a gate for cell `k` with value `cell`. Every part is rounded and clamped.
  int32_t gate_sum(size_t gate, size_t k, const Integers& data, const Integers& hidden, int32_t cell) const {
    const lstm::GateFactors& factor = factors.gates[gate];
    int32_t sum = int16(
        multiply(row_product(weights.input[gate], k, data, static_cast<int64_t>(weights.bias[gate][k])), factor.data));
    sum = int16(int64_t{sum} + multiply(row_product(weights.recurrent[gate], k, hidden, 0), factor.recurrent));
    const std::vector<float>* peephole =
        gate == lstm::kCellGate ? nullptr : &weights.peephole[gate == lstm::kOutputGate ? 2 : gate];
    if (peephole == nullptr || peephole->empty()) return sum;
    return int16(int64_t{sum} + multiply(static_cast<int32_t>((*peephole)[k]) * cell, factor.peephole));
  }

  // One time step.
  void advance(const Integers& data, Integers& hidden, Integers& cells) const {
    Integers made(cells.size());
    for (size_t k = 0; k < cells.size(); ++k) {
      const auto sum = [&](size_t gate) { return gate_sum(gate, k, data, hidden, cells[k]); };
      const int32_t keep = fixed_logistic(sum(lstm::kForgetGate));
      const int32_t take = weights.coupled() ? 32767 - keep : fixed_logistic(sum(lstm::kInputGate));
      const int32_t candidate = fixed_tanh(sum(lstm::kCellGate), lstm::kGateBits);
      const int32_t kept = divide(keep * cells[k], 15);
      cells[k] = clamp(int16(kept + divide(take * candidate, 15 + factors.cell_bits)), factors.cells);
      const int32_t shown = fixed_logistic(sum(lstm::kOutputGate));
      made[k] = clamp(multiply(shown * fixed_tanh(cells[k], factors.cell_bits), factors.made), factors.made_range);
    }
    for (size_t k = 0; k < hidden.size(); ++k) {
      const bool projected = !weights.projection.empty();
      const int64_t bias = weights.projection_bias.empty() ? 0 : static_cast<int64_t>(weights.projection_bias[k]);
      const int32_t out =
          projected ? multiply(row_product(weights.projection, k, made, bias), factors.projection) : made[k];
      hidden[k] = clamp(out, factors.outputs);
    }
  }
};

Integers steps(const Call& call, size_t input) {
  const HostTensor& tensor = call.input(input);
  const std::vector<float> numbers =
      steps_from_zero(call.graph.value(call.node.inputs[input]), tensor.type, tensor.data);
  return {numbers.begin(), numbers.end()};
}

}  // namespace

void lstm_of_integers(const Call& call, std::vector<HostTensor>& out) {
  const auto& attr = call.attributes<LstmAttr>();
  const lstm::Sizes sizes = lstm::sizes_of(call.graph, call.node);
  const lstm::Weights weights = lstm::unpack(call.graph, call.node, [&](size_t input) {
    const Integers numbers = steps(call, input);
    return std::vector<float>(numbers.begin(), numbers.end());
  });
  const lstm::IntegerFactors factors = lstm::integer_factors(call.graph, call.node);
  const IntegerCell cell{weights, factors};
  const auto batches = static_cast<size_t>(sizes.batch), times = static_cast<size_t>(sizes.time);
  const auto outputs = static_cast<size_t>(sizes.outputs);
  const Integers data = steps(call, lstm::kData);
  Integers hidden = steps(call, lstm::kHidden), cells = steps(call, lstm::kCell), made(batches * times * outputs);
  const auto row = [](Integers& all, size_t index, size_t length) {
    return std::span(all).subspan(index * length, length);
  };
  for (size_t b = 0; b < batches; ++b) {
    const auto hidden_row = row(hidden, b, outputs), cell_row = row(cells, b, static_cast<size_t>(sizes.cells));
    Integers h(hidden_row.begin(), hidden_row.end()), c(cell_row.begin(), cell_row.end());
    for (size_t t = 0; t < times; ++t) {
      const size_t at = attr.time_major ? t * batches + b : b * times + t;
      const auto from = data.begin() + static_cast<std::ptrdiff_t>(at * static_cast<size_t>(sizes.depth));
      cell.advance(Integers(from, from + sizes.depth), h, c);
      std::ranges::copy(h, row(made, at, outputs).begin());
    }
    std::ranges::copy(h, hidden_row.begin());
    std::ranges::copy(c, cell_row.begin());
  }
  const Value& made_value = call.graph.value(call.node.outputs[0]);
  const int32_t offset = lstm::output_offset(call.graph, call.node);
  for (int32_t& step : made) step += offset;
  store_quanta(made_value, quantum_range(made_value, Activation::kNone), made, out[0].data);
  store_quanta(call.graph.value(call.node.outputs[1]), factors.outputs, hidden, out[1].data);
  store_quanta(call.graph.value(call.node.outputs[2]), factors.cells, cells, out[2].data);
}

}  // namespace sightglass::ref

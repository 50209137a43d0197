// Float LSTM, step by step in double precision.
#include <algorithm>
#include <cmath>

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

}  // namespace sightglass::ref

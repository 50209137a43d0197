// Reference kernels by family. ref_run.cpp calls them after all checks: infer_shapes() has accepted the node and set
// its padding, the inputs have the shapes and types of the graph, and `out` has those of its output.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "graph/graph.h"
#include "graph/operator_table.h"

namespace sightglass::ref {

// A node with its inputs.
struct Call {
  const Graph& graph;
  const Node& node;
  const std::vector<const HostTensor*>& inputs;

  bool has(size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const HostTensor& input(size_t i) const { return *inputs[i]; }
  const Shape& shape(size_t i) const { return inputs[i]->shape; }
  std::span<const float> floats(size_t i) const { return inputs[i]->as<float>(); }
  // The values of an input of any type, dequantized.
  std::vector<float> real(size_t i) const;
  template <typename Attr>
  const Attr& attributes() const {
    return std::get<Attr>(node.attributes);
  }
};

// A Function computes one output in floats; evaluate() adds quantization and the activation. A WholeFunction computes
// all outputs completely. Functions that only move elements take any type; others of integers apply the activation
// themselves.
using Function = void(const Call& call, HostTensor& out);
using WholeFunction = void(const Call& call, std::vector<HostTensor>& outputs);
template <OpType op>
using Reference = std::conditional_t<operators::has(op, operators::kSeveralOutputs), WholeFunction, Function>;

// The references of graph/operators.h.
#define OPERATOR(op, name, attributes, shapes, reference, ...) Reference<OpType::op> reference;
#include "graph/operators.h"

// fully_connected and batch_matmul before rounding: exact for integers below 2^53.
std::vector<double> matrix_product(const Call& call, const Shape& out);
Function resize_bilinear_integers;  // of int8 and int16
WholeFunction lstm_of_integers;

// Applies the activation of the node to float32; integer operators apply it themselves.
void activate(const Call& call, HostTensor& out);
// Adds input kResidualInput to the output of a convolution.
void add_residual(const Call& call, HostTensor& out);

// Runs a node with quantized tensors; `function` is its float kernel.
void quantized(const Call& call, Function* function, HostTensor& out);

// Distance in elements between neighbors along each dimension of a tightly packed tensor.
using Strides = std::array<int64_t, Shape::kMaxRank>;
Strides dense_strides(const Shape& shape);

// first + index · strides for every index of `shape`, in row-major order.
std::vector<int64_t> offsets(const Shape& shape, const Strides& strides, int64_t first = 0);

// Positions in a tensor of `shape` of the elements of `out`, to which it broadcasts.
std::vector<int64_t> broadcast_places(const Shape& shape, const Shape& out);

// The position in a reduced tensor to which each element of a tensor of `shape` counts.
std::vector<int64_t> reduced_places(const Shape& shape, const std::vector<int32_t>& axes);

// Both tensors have the same type. Indices are in tightly packed order.
void copy_element(const HostTensor& from, int64_t from_index, HostTensor& to, int64_t to_index);

// Compile-time check of tables with one float function and one integer function per operator.
// Whether `real` is null exactly for operators without float data, and `integer` for those with neither integer nor
// boolean data. Types are checked before a call, so a null function is never called.
template <typename Rows>
constexpr bool functions_match_types(const Rows& rows) {
  return std::ranges::all_of(rows, [](const auto& row) {
    const operators::Types taken = operators::row_of(row.op).types.data;
    return (row.real != nullptr) == ((taken & operators::kReal) != 0) &&
           (row.integer != nullptr) == ((taken & (operators::kIntegers | operators::kB)) != 0);
  });
}

}  // namespace sightglass::ref

// Reference kernels by family. ref_run.cpp calls them after all checks: infer_shapes() has accepted the node and set
// its padding, the inputs have the shapes and types of the graph, and `out` has those of its output.
#pragma once

#include <algorithm>
#include <array>
#include <variant>
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

// Only float32.
void conv2d(const Call& call, HostTensor& out);
void depthwise_conv2d(const Call& call, HostTensor& out);
void depthwise_pointwise(const Call& call, HostTensor& out);
void transpose_conv(const Call& call, HostTensor& out);
void fully_connected(const Call& call, HostTensor& out);
void batch_matmul(const Call& call, HostTensor& out);
// The same before rounding: exact for integers below 2^53.
std::vector<double> matrix_product(const Call& call, const Shape& out);
void pool2d(const Call& call, HostTensor& out);  // average and maximum
void max_pool_with_argmax(const Call& call, std::vector<HostTensor>& out);
void max_unpool(const Call& call, HostTensor& out);
void landmarks_to_matrix(const Call& call, HostTensor& out);
void transform_landmarks(const Call& call, HostTensor& out);
void transform_image(const Call& call, HostTensor& out);
void softmax(const Call& call, HostTensor& out);  // also LOG_SOFTMAX
void l2_normalization(const Call& call, HostTensor& out);
void dynamic_quantize(const Call& call, HostTensor& out);
void resize_bilinear_integers(const Call& call, HostTensor& out);  // of int8 and int16
void resize_bilinear(const Call& call, HostTensor& out);

// Also for quantized tensors, and for weights of any type.
void lstm(const Call& call, std::vector<HostTensor>& out);
void lstm_of_integers(const Call& call, std::vector<HostTensor>& out);
void top_k(const Call& call, std::vector<HostTensor>& out);
void detection_postprocess(const Call& call, std::vector<HostTensor>& out);
void posenet_decoder(const Call& call, std::vector<HostTensor>& out);

// float32, int32, int64 and bool, as far as check_types() allows.
void unary(const Call& call, HostTensor& out);
void binary(const Call& call, HostTensor& out);
void compare(const Call& call, HostTensor& out);
void add_n(const Call& call, HostTensor& out);
void reduce(const Call& call, HostTensor& out);       // MEAN to REDUCE_ALL
void arg_extreme(const Call& call, HostTensor& out);  // ARG_MAX, ARG_MIN

void cast(const Call& call, HostTensor& out);  // between all types but float16

// Any type: elements are moved unchanged.
void reshape(const Call& call, HostTensor& out);
void concat(const Call& call, HostTensor& out);
void pad(const Call& call, HostTensor& out);  // float32, int32, int64
void strided_slice(const Call& call, HostTensor& out);
void depth_to_space(const Call& call, HostTensor& out);
void select(const Call& call, HostTensor& out);
void broadcast_to(const Call& call, HostTensor& out);

void move_by_steps(const Call& call, std::vector<HostTensor>& outputs);  // see graph/movement.h
void pack(const Call& call, HostTensor& out);
void resize_nearest(const Call& call, HostTensor& out);
void gather(const Call& call, HostTensor& out);
void gather_nd(const Call& call, HostTensor& out);

void dequantize(const Call& call, HostTensor& out);  // float16, int8, uint8, int16 to float32

// Applies the activation of the node to float32; integer operators apply it themselves.
void activate(const Call& call, HostTensor& out);

// A Function computes one output in floats; evaluate() adds quantization and the activation. A WholeFunction computes
// all outputs completely.
using Function = void (*)(const Call& call, HostTensor& out);
using WholeFunction = void (*)(const Call& call, std::vector<HostTensor>& outputs);
using Reference = std::variant<Function, WholeFunction>;
const Reference& reference_of(OpType op);  // ref_run.cpp

// Runs a node with quantized tensors; `function` is its float kernel.
void quantized(const Call& call, Function function, HostTensor& out);

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

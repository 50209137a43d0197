// Quantized tensors: real = scale * (q - zero point).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "graph/fixed_point.h"
#include "graph/graph.h"

namespace sightglass {

// Whether a value is a quantized activation: int8, uint8 or int16 with one positive scale for all elements.
bool is_quantized(const Value& value);
// Whether the node reads or writes such an activation, so that it quantizes or dequantizes.
bool computes_quantized(const Graph& graph, const Node& node);

// Whether both are one scale and one zero point, and the same ones.
bool same_quantization(const Value& value, const Quantization& other);

// The real values of a tensor, with one scale for all elements or one per index of an axis. For an unquantized tensor,
// its elements.
std::vector<float> real_numbers(const Value& value, DataType stored, std::span<const std::byte> bytes);
// The same for input `index` of `node`. An integer bias has no own scale: it uses the product of the scales of data and
// weights.
std::vector<float> real_operand(const Graph& graph, const Node& node, size_t index, DataType stored,
                                std::span<const std::byte> bytes);

// Quantizes real values: rounded to the nearest, halves away from zero, and clamped.
void quantize(const Value& value, std::span<const float> real, std::span<std::byte> bytes);

// q - zero point of every element.
std::vector<float> steps_from_zero(const Value& value, DataType stored, std::span<const std::byte> bytes);

// Whether an activation only narrows the range of its result.
bool is_clamp(Activation activation);
// Whether a convolution-like node sums products of integers: with quantized data, weights and result.
bool sums_integers(const Graph& graph, const Node& node);

// The type and the quantization to which such a node rounds its sums: those of its output, or Node::rounded.
const Value& rounded_sums(const Graph& graph, const Node& node);

// Factors of a sum of two operands: each operand, shifted left by `headroom`, times its factor; their sum times `out`.
struct SumFactors {
  int headroom = 0;
  FixedPoint a, b, out;
};
SumFactors sum_factors(const Graph& graph, const Node& node);
SumFactors sum_factors(const Value& a, const Value& b, const Value& out);
// The sum or difference of two 8-bit operands in a form that costs few instructions: the result is the integer below or
// above the sum of floats, and 32 bits decide which. With steps of 2^-30, it is the one above if
//   a * x + b * y - (integer below) * 2^30 >= half_step,
// or, if the integer below is negative, half_step + moved. The difference fits into 32 bits.
struct NearestSum {
  int32_t a = 0, b = 0, half_step = 0, moved = 0;
};
// The form with which all operands have the result of sum_factors(). None if there is none.
std::optional<NearestSum> nearest_sum(const Graph& graph, const Node& node);
// The same for the residual of a convolution in integers.
std::optional<NearestSum> nearest_residual(const Graph& graph, const Node& node);
// Right shifts of two operands of 16 bits that are summed without factors, one of them 0. None for other sums.
struct SumShifts {
  int a = 0, b = 0;
};
std::optional<SumShifts> sum_shifts(const Graph& graph, const Node& node);
// An operand of such a sum: halves are rounded away from zero. The arithmetic of LiteRT wraps around beyond 15 bits.
int32_t shifted_operand(int32_t x, int right);
// The same for SQUARED_DIFFERENCE: the square of their difference times `out`.
SumFactors squared_difference_factors(const Graph& graph, const Node& node);
// Factors of the operands of a comparison in fixed point. None if it compares real numbers.
std::optional<SumFactors> comparison_factors(const Graph& graph, const Node& node);
// Also of negative data of PRELU, with the slope.
FixedPoint product_factor(const Graph& graph, const Node& node);
FixedPoint quotient_factor(const Graph& graph, const Node& node);
FixedPoint rescale_factor(const Value& from, const Value& to);
// Whether a PRELU has integer arithmetic: not with slopes of 16 bits.
bool has_integer_prelu(const Graph& graph, const Node& node);
// Of data of PRELU that are not negative.
FixedPoint prelu_factor(const Value& from, const Value& to);

// Factors of products of several 16-bit values, for multiply_wide(). None if an operator computes in real numbers.
// Of a BATCH_MATMUL:
std::optional<FixedPoint> wide_matmul_factor(const Graph& graph, const Node& node);
// Of a REDUCE_PROD, also of int8: applied after each multiplication, and once more in the end.
std::optional<FixedPoint> wide_product_factor(const Graph& graph, const Node& node);

// Factors of a MEAN: (sum of steps + before) * factor + after.
struct MeanFactors {
  int32_t before = 0;
  FixedPoint factor;
  int32_t after = 0;
};
MeanFactors mean_factors(const Graph& graph, const Node& node);

// Those of a tensor with one scale for all elements.
float scale_of(const Value& value);
int32_t zero_point(const Value& value);

// Whether an L2_NORMALIZATION is of 8-bit integers, with results in 128ths.
bool normalizes_integers(const Graph& graph, const Node& node);

// Per axis, the input coordinate of output pixel i in 1/1024 of a pixel: i * scale + offset. As TensorFlow Lite resizes
// int8 and int16 images.
struct ResizeMapping {
  int32_t scale = 0, offset = 0;
};
ResizeMapping resize_mapping(int32_t from, int32_t to, const ResizeAttr& attr);
// Whether a RESIZE_BILINEAR has int8 or int16 images.
bool resizes_integers(const Graph& graph, const Node& node);
// The same for uint8: interpolated as floats, rounded with halves up.
bool resizes_bytes(const Graph& graph, const Node& node);

// The two input rows (or columns) around an output row, and the weight of the second.
struct ResizeTap {
  int32_t low = 0, high = 0;
  float weight = 0;
};
// Coordinates are computed in float32, as in TensorFlow Lite: rounding affects the choice of rows.
std::vector<ResizeTap> resize_taps(int32_t from, int32_t to, const ResizeAttr& attr);

// Clamping range of results, in steps from the zero point: the range of the type, narrowed by the activation.
struct QuantumRange {
  int32_t lowest = 0, highest = 0;
};
QuantumRange quantum_range(const Value& value, Activation activation);

// Conversion of sums of a convolution-like node to steps from the zero point of its output.
struct Requantization {
  std::vector<FixedPoint> factors;  // by output channel
  Rounding rounding = Rounding::kTwice;
  QuantumRange range;  // of the rounded sums
};
// Of the results, after the table or the residual of the node, if it has one.
QuantumRange result_range(const Graph& graph, const Node& node);
// Requires sums_integers().
Requantization requantization(const Graph& graph, const Node& node, int32_t channels);

// The largest magnitude of the sums of each output channel of such a node, whatever the data. Requires constant weights
// and biases.
std::vector<double> most_sums(const Graph& graph, const Node& node, int32_t channels);

// Stores steps from the zero point as integers of a quantized value, clamped to `range`.
void store_quanta(const Value& value, const QuantumRange& range, std::span<const int32_t> steps,
                  std::span<std::byte> bytes);

// Functions of one quantized value that LiteRT computes with integer arithmetic or from tables. It computes other
// functions in floats and rounds the results.

// From steps from the zero point of the input to steps from that of the output, not yet clamped to the output type.
using IntegerFunction = std::function<int32_t(int32_t steps)>;

// The function of a node; empty if it is computed in floats.
IntegerFunction integer_function(const Graph& graph, const Node& node);

}  // namespace sightglass

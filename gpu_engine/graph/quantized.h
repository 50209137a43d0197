// Tensors of integers that stand for real numbers: real = scale * (q - zero point).
#pragma once

#include <span>
#include <vector>

#include "graph/fixed_point.h"
#include "graph/graph.h"

namespace sightglass {

// An activation that can be computed with: int8, uint8 or int16 with one positive scale for all elements.
bool is_quantized(const Value& value);
// Whether the node reads or makes such an activation, and so rounds its result to quanta (or stops doing so).
bool computes_quantized(const Graph& graph, const Node& node);

// The real numbers of a tensor of a value's type, with one scale for all or one per index of an axis; those of a tensor
// without a quantisation are its elements.
std::vector<float> real_numbers(const Value& value, DataType stored, std::span<const std::byte> bytes);
// The same for input `index` of `node`. A bias of integers has no scale of its own: it is counted in the product of
// the scales of data and weights.
std::vector<float> real_operand(const Graph& graph, const Node& node, size_t index, DataType stored,
                                std::span<const std::byte> bytes);

// Real numbers as the integers of a quantised value: rounded to the nearest, halves away from zero, and clamped.
void quantize(const Value& value, std::span<const float> real, std::span<std::byte> bytes);

// q - zero point of every element.
std::vector<float> steps_from_zero(const Value& value, DataType stored, std::span<const std::byte> bytes);

// Whether an activation does no more than narrow the range of its result.
bool is_clamp(Activation activation);
// Whether a convolution-like node adds up products of integers, as one with quantised data, weights and result does.
bool sums_integers(const Graph& graph, const Node& node);

// The sum of two: each operand, shifted left by `headroom`, times its factor; their sum times `out`.
struct SumFactors {
  int headroom = 0;
  FixedPoint a, b, out;
};
SumFactors sum_factors(const Graph& graph, const Node& node);
FixedPoint product_factor(const Graph& graph, const Node& node);
FixedPoint rescale_factor(const Value& from, const Value& to);

// A MEAN: ((sum of stored numbers + before) * factor) / divisor + after, the quotient rounded, halves away from zero.
struct MeanFactors {
  int32_t before = 0;
  FixedPoint factor;
  int32_t divisor = 1, after = 0;
};
MeanFactors mean_factors(const Graph& graph, const Node& node);

int32_t zero_point(const Value& value);

// Along one axis, the input coordinate of output pixel i in 1/1024 of a pixel: i * scale + offset. As TensorFlow Lite
// resizes int8 pictures.
struct ResizeMapping {
  int32_t scale = 0, offset = 0;
};
ResizeMapping resize_mapping(int32_t from, int32_t to, const ResizeAttr& attr);
// Whether a RESIZE_BILINEAR is of such pictures.
bool resizes_integers(const Graph& graph, const Node& node);
// The same of uint8: interpolated as real numbers, rounded with halves up.
bool resizes_bytes(const Graph& graph, const Node& node);

// Where results are clamped, in steps from the zero point: the type's range, narrowed by the activation.
struct QuantumRange {
  int32_t lowest = 0, highest = 0;
};
QuantumRange quantum_range(const Value& value, Activation activation);

// How the sums of a convolution-like node become steps from the zero point of its output.
struct Requantization {
  std::vector<FixedPoint> factors;  // by output channel
  Ties ties = Ties::kAwayFromZero;  // how halves are rounded
  QuantumRange range;
};
// Requires sums_integers().
Requantization requantization(const Graph& graph, const Node& node, int32_t channels);

// Steps from the zero point as the integers of a quantised value, clamped to `range`.
void store_quanta(const Value& value, const QuantumRange& range, std::span<const int32_t> steps,
                  std::span<std::byte> bytes);

}  // namespace sightglass

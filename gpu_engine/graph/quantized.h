// Tensors of integers that stand for real numbers: real = scale * (q - zero point).
#pragma once

#include <span>
#include <vector>

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

}  // namespace sightglass

// Quantized operators that TensorFlow Lite computes on stored numbers, whatever the scales and zero points of their
// tensors. In the graph such a node has one quantization: a REINTERPRET gives its operands that of its result.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// Whether the numbers of operands with elements of `type` count, not the quantities that they stand for.
bool keeps_numbers(OpType op, DataType type);

// The quantization of the operands of such a node, from its types before they are changed. Null if its results have
// several, or for another operator.
const Quantization* common_quantization(OpType op, const Value& data, const std::vector<const Value*>& outputs);

// Gives the operands of the node that quantization. The node is not yet part of the graph.
void keep_numbers(Graph& graph, Node& node);

}  // namespace sightglass

// Functions of one 8-bit value that TensorFlow Lite computes with integer arithmetic. It computes other functions in
// floats and rounds the results.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// Whether the node is such a function, with 8-bit input and output.
bool has_integer_function(const Graph& graph, const Node& node);

// Returns steps from the zero point of the output for `steps` from that of the input, not yet clamped to the output
// type.
int32_t integer_function(const Graph& graph, const Node& node, int32_t steps);

}  // namespace sightglass

// Functions of one 8-bit number for which TensorFlow Lite has integer arithmetic of its own. For the others it takes
// real numbers, and rounds what they give.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// Whether the node is such a function, of 8-bit numbers that make 8-bit ones.
bool has_integer_function(const Graph& graph, const Node& node);

// The steps from the output's zero point that the function gives for `steps` from the input's, not yet within the range
// of the output's type.
int32_t integer_function(const Graph& graph, const Node& node, int32_t steps);

}  // namespace sightglass

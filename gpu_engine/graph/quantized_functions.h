// Functions of one quantized value that LiteRT computes with integer arithmetic or from tables. It computes other
// functions in floats and rounds the results.
#pragma once

#include <functional>

#include "graph/graph.h"

namespace sightglass {

// From steps from the zero point of the input to steps from that of the output, not yet clamped to the output type.
using IntegerFunction = std::function<int32_t(int32_t steps)>;

// The function of a node; empty if it is computed in floats.
IntegerFunction integer_function(const Graph& graph, const Node& node);

}  // namespace sightglass

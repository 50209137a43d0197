// Operators with float data and 8-bit weights ("dynamic range"): TensorFlow Lite rounds the data to 8 bits as it goes,
// over the range that they happen to have, and multiplies integers. The graph says so with a node of its own.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// Whether TensorFlow Lite rounds the data of the node, which is not yet part of the graph.
bool is_hybrid(const Graph& graph, const Node& node);

// The node's data, rounded by a DYNAMIC_QUANTIZE, which is added to the graph unless there is one already.
ValueId add_dynamic_quantize(Graph& graph, const Node& node);

}  // namespace sightglass

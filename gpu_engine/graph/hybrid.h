// Operators with float data and 8-bit weights (dynamic-range quantized). TensorFlow Lite quantizes the data to 8 bits
// at run time, over their actual range, and multiplies integers. The graph has a separate node for this.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// Whether TensorFlow Lite quantizes the data of the node at run time. The node is not yet part of the graph.
bool is_hybrid(const Graph& graph, const Node& node);

// Returns the data of the node after a DYNAMIC_QUANTIZE, which is added to the graph unless it exists.
ValueId add_dynamic_quantize(Graph& graph, const Node& node);

}  // namespace sightglass

// Evaluates nodes with only constant inputs at load time.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// Approximate work of evaluating the node, in multiplications or moved elements.
int64_t folding_steps(const Graph& graph, const Node& node);

// If all inputs of the node are constants, makes its outputs constants too and removes it. DEQUANTIZE of float16 keeps
// the float16 bytes as storage of the float32 value. `folded` reports whether the node was removed. It stays, without
// an error, if it reads other values, produces an output of the graph, or would take too long to evaluate.
Status fold_if_constant(Graph& graph, NodeId id, bool* folded);

}  // namespace sightglass

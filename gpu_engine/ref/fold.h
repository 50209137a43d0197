// Evaluates at load time what depends on constants alone.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// How much work evaluating the node is, in multiplications or elements moved, roughly.
int64_t folding_steps(const Graph& graph, const Node& node);

// When all inputs of the node are constants, makes its outputs constants too and removes it. DEQUANTIZE of float16
// keeps the float16 bytes as the storage of the float32 value. `folded` says whether the node is gone; it stays,
// without an error, when it reads something else, makes an output of the graph, or would take too long to evaluate
// here.
Status fold_if_constant(Graph& graph, NodeId id, bool* folded);

}  // namespace sightglass

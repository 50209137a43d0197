// How much arithmetic a model is: the usual measure, multiplications that are added up.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace sightglass {

// Of one run of the node: those of convolutions, fully connected layers and recurrent cells with their weights. Others
// count as 0.
int64_t multiply_adds(const Graph& graph, const Node& node);

// The sum over all nodes; stays at the largest number where it would not fit.
int64_t multiply_adds(const Graph& graph);

}  // namespace sightglass

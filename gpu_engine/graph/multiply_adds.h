// Arithmetic cost of a model in multiply-adds.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace sightglass {

// Multiply-adds per run of the node: those of convolutions, fully connected layers and recurrent cells with their
// weights. Other operators count as 0.
int64_t multiply_adds(const Graph& graph, const Node& node);

// The sum over all nodes, saturated.
int64_t multiply_adds(const Graph& graph);

}  // namespace sightglass

// Rough cost of an operator, to find models that would block a GPU.
#pragma once

#include "graph/graph.h"

namespace sightglass {

// In multiply-adds: those of the operator, or the time of its reads, whichever is larger. A double, because a small
// file can describe more than fits into 64 bits.
double work(const Graph& graph, const Node& node);

}  // namespace sightglass

// Presents images that a model holds in other orders as 1 x height x width x channels.
#pragma once

#include "graph/graph.h"
#include "sightglass/model.h"

namespace sightglass {

// Replaces color inputs and outputs that are one image in another order, as their operators prove (graph/axes.h). The
// graph then moves the new input to the order that it reads, and the output from the order that it writes. Outputs with
// merged pixels are replaced if no output is an image otherwise. Names and types stay.
void arrange_images(Graph& graph, ImageOrder order);

}  // namespace sightglass

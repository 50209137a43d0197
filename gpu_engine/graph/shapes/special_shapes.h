// Shape inference of operators with several outputs, called by infer_shapes().
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sightglass {

Result<std::vector<Shape>> infer_lstm(const Graph& graph, const Node& node);             // recurrent_shapes.cpp
Result<std::vector<Shape>> infer_detection(const Graph& graph, const Node& node);        // detection_shapes.cpp
Result<std::vector<Shape>> infer_posenet_decoder(const Graph& graph, const Node& node);  // posenet_shapes.cpp

}  // namespace sightglass

// What the engine, its tools and its tests see of a model.
#pragma once

#include <memory>

#include "sightglass/model.h"

namespace sightglass {

struct ModelInternals {
  // The graph as read from the file, before any rewrite.
  static const Graph& graph(const Model& model) { return *model.graph_; }
  // Fails if the graph breaks an invariant.
  static Result<std::shared_ptr<const Model>> make(Graph graph, ModelMetadata metadata);
};

inline const Graph& graph_of(const Model& model) { return ModelInternals::graph(model); }

// A model from a graph that a program built instead of reading a file. Fails if the graph breaks an invariant.
Result<std::shared_ptr<const Model>> model_from_graph(Graph graph);

}  // namespace sightglass

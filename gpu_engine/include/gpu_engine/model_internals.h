// What the engine, its tools and its tests see of a model.
#pragma once

#include <memory>
#include <string>

#include "gpu_engine/input_file.h"
#include "sightglass/model.h"

namespace sightglass {

struct ModelInternals {
  // The graph as read from the file, before any rewrite.
  static const Graph& graph(const Model& model) { return *model.graph_; }
  // Fails if the graph breaks an invariant.
  static Result<std::shared_ptr<const Model>> make(Graph graph, ModelMetadata metadata);
  // As Model::load(), without a copy of the file.
  static Result<std::shared_ptr<const Model>> load(const FileContents& file, const std::string& name,
                                                   const ModelOptions& options);
};

// The whole file, within the memory limit of the options. Errors do not name the file.
Result<FileContents> read_model_file(const std::string& path, const ModelOptions& options);

inline const Graph& graph_of(const Model& model) { return ModelInternals::graph(model); }

// A model from a graph that a program built instead of reading a file. Fails if the graph breaks an invariant.
Result<std::shared_ptr<const Model>> model_from_graph(Graph graph);

}  // namespace sightglass

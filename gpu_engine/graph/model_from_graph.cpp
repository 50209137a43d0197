#include "gpu_engine/exceptions.h"
#include "gpu_engine/model_internals.h"
#include "graph/graph.h"

namespace sightglass {

std::string to_string(const Obstacle& obstacle) {
  const std::string what = obstacle.reason + (obstacle.nearest.empty() ? "" : "; " + obstacle.nearest);
  return obstacle.where.empty() ? what : obstacle.where + ": " + what;
}

Obstacle make_obstacle(std::string where, const std::string& message) {
  const size_t end = message.find("; ");
  return {std::move(where), message.substr(0, end), end == std::string::npos ? "" : message.substr(end + 2)};
}

Result<std::shared_ptr<const Model>> model_from_graph(Graph graph) try {
  return ModelInternals::make(std::move(graph), {});
} catch (...) {
  return status_of_exception("a graph", "make a model of it");
}

Result<std::shared_ptr<const Model>> ModelInternals::make(Graph graph, ModelMetadata metadata) {
  SIGHTGLASS_RETURN_IF_ERROR(verify(graph).with_context(graph.name));
  const auto describe_value = [&graph](ValueId id) {
    const Value& value = graph.value(id);
    return TensorInfo{value.name, value.type, value.shape, value.quantization, value.open_dims};
  };
  std::shared_ptr<Model> model(new Model());
  model->name_ = graph.name;
  model->metadata_ = std::move(metadata);
  for (const ValueId id : graph.inputs) model->inputs_.push_back(describe_value(id));
  for (const ValueId id : graph.outputs) model->outputs_.push_back(describe_value(id));
  model->graph_ = std::make_shared<const Graph>(std::move(graph));
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace sightglass

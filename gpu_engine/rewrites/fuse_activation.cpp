// Moves the activation of an activation-only node into its producer.
#include "rewrites/common.h"

namespace sightglass {
namespace {

// The slopes of a PRELU, one per channel, as a constant of that size.
std::optional<ValueId> slope_constant(Graph& graph, const Node& prelu) {
  const ValueId id = prelu.inputs[1];
  const int32_t channels = rewriting::channels_of(graph.value(prelu.outputs[0]).shape);
  const std::optional<std::vector<float>> slopes = rewriting::per_channel(graph, id, channels);
  if (!slopes) return std::nullopt;
  if (graph.value(id).shape.elements() == channels) return id;
  return graph.add_constant(graph.value(id).name, Shape{channels}, *slopes);
}

}  // namespace

RewriteOutcome fuse_activation(Graph& graph, NodeId id) {
  const Activation activation = activation_of(graph.node(id).op);
  if (activation == Activation::kNone) return RewriteOutcome::not_matched();
  if (graph.node(id).activation != Activation::kNone) {
    return RewriteOutcome::declined(std::string("it has the activation ") + to_string(graph.node(id).activation));
  }
  const ValueId in = graph.node(id).inputs[0];
  if (const auto obstacle = rewriting::obstacle_to_activating(graph, in, activation, 1)) {
    return RewriteOutcome::declined(*obstacle);
  }
  if (activation == Activation::kPrelu) {
    const std::optional<ValueId> slope = slope_constant(graph, graph.node(id));
    if (!slope) return RewriteOutcome::declined("the slope is not a constant with one number per channel");
    const NodeId producer = graph.value(in).producer;
    constexpr size_t kSlope = 3;
    while (graph.node(producer).inputs.size() <= kSlope) graph.append_input(producer, kNone);
    graph.set_input(producer, kSlope, *slope);
  }
  rewriting::activate_producer(graph, in, activation, graph.node(id).outputs[0]);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

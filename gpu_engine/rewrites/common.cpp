#include "rewrites/common.h"

#include <algorithm>
#include <cmath>

#include "graph/operator_table.h"

namespace sightglass::rewriting {

bool can_activate(OpType op, Activation activation) {
  return operators::has(op, activation == Activation::kPrelu ? operators::kHasWeights : operators::kTakesActivation);
}

std::optional<std::string> obstacle_to_activating(const Graph& graph, ValueId value, Activation activation,
                                                  size_t readers) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNone) return "no operator computes its input";
  const Node& node = graph.node(producer);
  if (!can_activate(node.op, activation)) {
    return describe(graph, producer) + " cannot apply " + to_string(activation);
  }
  if (node.activation != Activation::kNone) {
    return describe(graph, producer) + " has the activation " + to_string(node.activation);
  }
  if (graph.is_output(value)) return quote(graph.value(value).name) + " is an output of the graph";
  if (graph.value(value).users.size() != readers) return quote(graph.value(value).name) + " is read by others as well";
  return std::nullopt;
}

std::optional<std::string> obstacle_to_more_operands(const Graph& graph, NodeId conv) {
  const Node& node = graph.node(conv);
  const bool constant_bias = node.inputs.size() <= 2 || node.inputs[2] == kNone || graph.is_constant(node.inputs[2]);
  if (!graph.is_constant(node.inputs[1]) || !constant_bias || graph.value(node.inputs[1]).type != DataType::kFloat32) {
    return "the weights are not float constants";
  }
  const Value& data = graph.value(node.inputs[0]);
  if (graph.value(node.inputs[1]).shape.dim(3) != data.shape.dim(3)) return "its channels are in groups";
  if (data.producer != kNone && graph.node(data.producer).op == OpType::kDynamicQuantize) {
    return "its data are quantized at run time";
  }
  return std::nullopt;
}

void activate_producer(Graph& graph, ValueId from, Activation activation, ValueId to) {
  const NodeId producer = graph.value(from).producer;
  graph.remove_node(graph.value(to).producer);
  graph.node(producer).activation = activation;
  graph.set_output(producer, 0, to);
  // The removed nodes still read `from`; their results have no readers.
  while (!graph.value(from).users.empty()) {
    NodeId last = graph.value(from).users.front();
    while (!graph.value(graph.node(last).outputs[0]).users.empty()) {
      last = graph.value(graph.node(last).outputs[0]).users.front();
    }
    graph.remove_node(last);
  }
}

bool is_pointwise_conv(const Graph& graph, const Node& node) {
  if (node.op != OpType::kConv2d) return false;
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Shape &weights = graph.value(node.inputs[1]).shape, &in = graph.value(node.inputs[0]).shape,
              &out = graph.value(node.outputs[0]).shape;
  return weights.dim(1) == 1 && weights.dim(2) == 1 && attr.stride_h == 1 && attr.stride_w == 1 &&
         in.dim(1) == out.dim(1) && in.dim(2) == out.dim(2);
}

void replace_node(Graph& graph, NodeId id, Node node) {
  node.outputs = graph.node(id).outputs;
  node.origin = graph.node(id).origin;
  graph.add_node(std::move(node), id);
  graph.remove_node(id);
}

bool read_once(const Graph& graph, ValueId value) {
  return graph.value(value).users.size() == 1 && !graph.is_output(value);
}

bool is_near(std::optional<float> number, float expected) {
  return number && std::abs(*number - expected) <= 1e-4f * std::abs(expected);
}

std::optional<float> uniform_constant(const Graph& graph, ValueId id) {
  if (!graph.is_constant(id) || graph.value(id).type != DataType::kFloat32) return std::nullopt;
  const std::vector<float> values = graph.floats(id);
  if (values.empty()) return std::nullopt;
  const bool uniform = std::ranges::all_of(values, [&](float value) { return is_near(value, values[0]); });
  return uniform ? std::optional(values[0]) : std::nullopt;
}

std::optional<std::vector<float>> per_channel(const Graph& graph, ValueId id, int32_t channels) {
  if (!graph.is_constant(id) || graph.value(id).type != DataType::kFloat32) return std::nullopt;
  const Shape& shape = graph.value(id).shape;
  std::vector<float> values = graph.floats(id);
  if (values.size() == 1) values.assign(static_cast<size_t>(channels), values[0]);
  const bool varies_elsewhere = shape.elements() != 1 && shape.elements() != channels_of(shape);
  if (varies_elsewhere || values.size() != static_cast<size_t>(channels)) return std::nullopt;
  return values;
}

int32_t channels_of(const Shape& shape) { return shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1); }

}  // namespace sightglass::rewriting

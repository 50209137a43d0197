#include "graph/graph.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "graph/shapes/node_shapes.h"

namespace sightglass {

ValueId Graph::add_value(Value value) {
  value.producer = kNone;
  value.users.clear();
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size()) - 1;
}

ValueId Graph::add_constant(std::string name, const Shape& shape, std::span<const float> values) {
  const auto storage = std::make_shared<std::vector<float>>(values.begin(), values.end());
  Value value;
  value.name = std::move(name);
  value.shape = shape;
  value.constant = Constant{DataType::kFloat32, std::as_bytes(std::span(*storage)), storage};
  return add_value(std::move(value));
}

NodeId Graph::add_node(Node node, NodeId before) {
  const auto id = static_cast<NodeId>(nodes_.size());
  for (const ValueId input : node.inputs) {
    if (input != kNone) value(input).users.push_back(id);
  }
  for (const ValueId output : node.outputs) value(output).producer = id;
  nodes_.push_back(std::move(node));
  order_.insert(before == kNone ? order_.end() : std::ranges::find(order_, before), id);
  return id;
}

void Graph::remove_node(NodeId id) {
  Node& n = node(id);
  for (size_t i = 0; i < n.inputs.size(); ++i) set_input(id, i, kNone);
  for (const ValueId output : n.outputs) {
    if (value(output).producer == id) value(output).producer = kNone;
  }
  n.removed = true;
  std::erase(order_, id);
}

void Graph::replace_uses(ValueId from, ValueId to) {
  const std::vector<NodeId> users = std::exchange(value(from).users, {});
  for (const NodeId user : users) {
    std::ranges::replace(node(user).inputs, from, to);
    value(to).users.push_back(user);
  }
  std::ranges::replace(outputs, from, to);
  for (State& state : states) {
    if (state.output == from) state.output = to;
  }
}

void Graph::set_input(NodeId id, size_t index, ValueId to) {
  ValueId& input = node(id).inputs[index];
  if (input != kNone) {
    std::vector<NodeId>& users = value(input).users;
    users.erase(std::ranges::find(users, id));
  }
  input = to;
  if (to != kNone) value(to).users.push_back(id);
}

void Graph::append_input(NodeId id, ValueId to) {
  node(id).inputs.push_back(to);
  if (to != kNone) value(to).users.push_back(id);
}

void Graph::set_output(NodeId id, size_t index, ValueId to) {
  ValueId& output = node(id).outputs[index];
  if (value(output).producer == id) value(output).producer = kNone;
  output = to;
  value(to).producer = id;
}

int Graph::remove_dead_nodes() {
  int removed = 0;
  std::vector<bool> read_after(values_.size());  // of the last node; is_output() would search for each
  for (const ValueId output : outputs) read_after[static_cast<size_t>(output)] = true;
  for (const State& state : states) read_after[static_cast<size_t>(state.output)] = true;
  const auto is_read = [&](ValueId v) { return read_after[static_cast<size_t>(v)] || !value(v).users.empty(); };
  const std::vector<NodeId> order = order_;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (std::ranges::any_of(node(*it).outputs, is_read)) continue;
    remove_node(*it);
    ++removed;
  }
  return removed;
}

bool Graph::is_output(ValueId id) const {
  return std::ranges::find(outputs, id) != outputs.end() ||
         std::ranges::find(states, id, &State::output) != states.end();
}

namespace {

template <typename T>
std::vector<float> convert(std::span<const std::byte> bytes) {
  std::vector<float> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T v;
    std::memcpy(&v, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = static_cast<float>(v);
  }
  return result;
}

}  // namespace

std::vector<float> Graph::floats(ValueId id) const {
  const Constant& constant = *value(id).constant;
  switch (constant.type) {
    case DataType::kFloat32:
      return convert<float>(constant.bytes);
    case DataType::kInt8:
      return convert<int8_t>(constant.bytes);
    case DataType::kUInt8:
      return convert<uint8_t>(constant.bytes);
    case DataType::kInt16:
      return convert<int16_t>(constant.bytes);
    case DataType::kInt32:
      return convert<int32_t>(constant.bytes);
    case DataType::kInt64:
      return convert<int64_t>(constant.bytes);
    case DataType::kBool:
      return convert<uint8_t>(constant.bytes);
    case DataType::kFloat16:
      break;
  }
  std::vector<float> result(constant.bytes.size() / sizeof(uint16_t));
  for (size_t i = 0; i < result.size(); ++i) {
    uint16_t half;
    std::memcpy(&half, constant.bytes.data() + i * sizeof(half), sizeof(half));
    result[i] = half_to_float(half);
  }
  return result;
}

std::string describe(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string text = node.origin.empty() ? std::string(to_string(node.op)) : node.origin;
  if (!node.outputs.empty()) text += " (output " + quote(graph.value(node.outputs[0]).name) + ")";
  return text;
}

namespace {

template <auto infer>
Result<std::vector<Shape>> shapes_of(const NodeShapes& n) {
  SIGHTGLASS_ASSIGN_OR_RETURN(auto shapes, infer(n));
  return std::vector<Shape>{shapes};
}

constexpr std::array kShapeFunctions{
#define OPERATOR(op, name, attributes, shapes, ...) shapes_of<infer_##shapes>,
#include "graph/operators.h"
};

}  // namespace

Result<std::vector<Shape>> infer_shapes(const Graph& graph, Node& node) {
  const std::string op = node.origin.empty() ? std::string(to_string(node.op)) : node.origin;
  if (!fits(node.op, node.attributes)) {
    return internal_error(op + ": its attributes are those of another operator");
  }
  if (node.activation == Activation::kPrelu && !has_weights(node.op)) {
    return invalid_model(op + ": it has no slopes for the activation prelu");
  }
  if (node.residual_last && residual_of(node) == kNone) {
    return internal_error(op + ": it has no tensor to add after its activation");
  }
  const bool samples = node.residual_sampling != ResidualSampling::kNone;
  if (samples && (residual_of(node) == kNone || node.op == OpType::kDepthwiseConv2d)) {
    return internal_error(op + ": it has no tensor to sample and add");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<Shape> shapes,
                              kShapeFunctions[static_cast<size_t>(node.op)](NodeShapes(graph, node)));
  if (node.outputs.size() == shapes.size()) return shapes;
  return invalid_model(op + ": it has " + std::to_string(node.outputs.size()) + " outputs, but computes " +
                       std::to_string(shapes.size()));
}

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

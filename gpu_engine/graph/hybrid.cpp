#include "graph/hybrid.h"

#include <algorithm>

namespace sightglass {

namespace {

// One range per matrix row or batch image. With one scale per channel of the weights, from the minimum to the maximum
// value; with one scale, symmetric around zero.
DynamicQuantizeAttr dynamic_quantize_attr(const Graph& graph, const Node& node) {
  const Shape& data = graph.value(node.inputs[0]).shape;
  const Value& weights = graph.value(node.inputs[1]);
  if (node.op == OpType::kFullyConnected) {
    return {weights.shape.dim(1), std::get<FullyConnectedAttr>(node.attributes).asymmetric_quantize_inputs};
  }
  const bool per_channel =
      weights.type == DataType::kInt8 && weights.quantization.scale.size() == static_cast<size_t>(weights.shape.dim(0));
  const int64_t picture = data.elements() / std::max(data.dim(0), 1);
  return {static_cast<int32_t>(picture), node.op == OpType::kDepthwiseConv2d || per_channel};
}

}  // namespace

bool is_hybrid(const Graph& graph, const Node& node) {
  if (node.op != OpType::kConv2d && node.op != OpType::kDepthwiseConv2d && node.op != OpType::kFullyConnected) {
    return false;
  }
  const Value &data = graph.value(node.inputs[0]), &weights = graph.value(node.inputs[1]);
  return data.type == DataType::kFloat32 && (weights.type == DataType::kInt8 || weights.type == DataType::kUInt8);
}

ValueId add_dynamic_quantize(Graph& graph, const Node& node) {
  const ValueId data = node.inputs[0];
  const DynamicQuantizeAttr attr = dynamic_quantize_attr(graph, node);
  for (const NodeId user : graph.value(data).users) {
    const auto* other = std::get_if<DynamicQuantizeAttr>(&graph.node(user).attributes);
    if (other != nullptr && *other == attr) return graph.node(user).outputs[0];
  }
  Value rounded;
  rounded.name = graph.value(data).name + " in 8 bits";
  rounded.shape = graph.value(data).shape;
  Node quantize;
  quantize.op = OpType::kDynamicQuantize;
  quantize.attributes = attr;
  quantize.origin = "data of " + node.origin;
  quantize.inputs = {data};
  quantize.outputs = {graph.add_value(std::move(rounded))};
  const ValueId result = quantize.outputs[0];
  graph.add_node(std::move(quantize));
  return result;
}

}  // namespace sightglass

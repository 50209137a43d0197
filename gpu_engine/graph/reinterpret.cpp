#include <algorithm>
#include <utility>

#include "graph/analyses.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"

namespace sightglass {

ValueId reinterpreted(Graph& graph, ValueId id, const Quantization& quantization) {
  Value copy;
  copy.name = graph.value(id).name + " as it is stored";
  copy.type = graph.value(id).type;
  copy.shape = graph.value(id).shape;
  copy.quantization = quantization;
  if (graph.is_constant(id)) {
    copy.constant = graph.value(id).constant;
    return graph.add_value(std::move(copy));
  }
  Node node;
  node.op = OpType::kReinterpret;
  node.origin = "numbers of " + graph.value(id).name;
  node.inputs = {id};
  node.outputs = {graph.add_value(std::move(copy))};
  const ValueId result = node.outputs[0];
  graph.add_node(std::move(node));
  return result;
}

// TensorFlow Lite has no arithmetic between quantizations for 16 bits in CONCATENATION, LESS, and the like.
bool keeps_numbers(OpType op, DataType type) {
  const bool orders = operators::has(op, operators::kCompares) && op != OpType::kEqual && op != OpType::kNotEqual;
  const bool narrow = type == DataType::kInt16 && (op == OpType::kConcat || orders);
  return narrow || operators::has(op, operators::kKeepsNumbers);
}

const Quantization* common_quantization(OpType op, const Value& data, const std::vector<const Value*>& outputs) {
  if (!keeps_numbers(op, data.type)) return nullptr;
  const Value& result = operators::has(op, operators::kCompares) ? data : *outputs[0];
  if (!is_quantized(result)) return nullptr;
  const bool alike = std::ranges::all_of(outputs, [&](const Value* output) {
    return !is_quantized(*output) || same_quantization(*output, result.quantization);
  });
  return alike ? &result.quantization : nullptr;
}

void keep_numbers(Graph& graph, Node& node) {
  std::vector<const Value*> outputs;
  for (const ValueId output : node.outputs) outputs.push_back(&graph.value(output));
  const size_t data = node.op == OpType::kSelect ? 1 : 0;
  const Quantization* common = common_quantization(node.op, graph.value(node.inputs[data]), outputs);
  if (common == nullptr) return;
  const Quantization quantization = *common;
  for (ValueId& input : node.inputs) {
    if (input == kNone || !is_quantized(graph.value(input))) continue;
    if (!same_quantization(graph.value(input), quantization)) input = reinterpreted(graph, input, quantization);
  }
}

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

#include "graph/reinterpret.h"

#include <algorithm>
#include <utility>

#include "graph/operator_table.h"
#include "graph/quantized.h"

namespace sightglass {

namespace {

bool same_quantization(const Value& value, const Quantization& other) {
  const int64_t zero = other.zero_point.empty() ? 0 : other.zero_point[0];
  return value.quantization.scale == other.scale && zero_point(value) == zero;
}

// The same numbers in another quantization.
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

}  // namespace

// TensorFlow Lite has no arithmetic between quantizations for 16 bits in comparisons and CONCATENATION.
bool keeps_numbers(OpType op, DataType type) {
  const bool narrow = type == DataType::kInt16 && (op == OpType::kConcat || operators::has(op, operators::kCompares));
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

}  // namespace sightglass

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "graph/operator_table.h"
#include "ref/ref_ops.h"

namespace sightglass {
namespace {

// Maximum folding steps, so that no file loads slowly. Far above any real model.
constexpr int64_t kMaxSteps = int64_t{1} << 26;

// Number of inputs that each output element depends on, for operators where it is neither one nor all.
int64_t steps_per_output(const Graph& graph, const Node& node) {
  if (has_weights(node.op)) return graph.value(node.inputs[1]).shape.elements();
  if (node.op == OpType::kBatchMatmul) {
    const Shape& x = graph.value(node.inputs[0]).shape;
    return x.dim(x.rank() - (std::get<BatchMatmulAttr>(node.attributes).adj_x ? 2 : 1));
  }
  if (operators::has(node.op, operators::kRanks)) return graph.value(node.inputs[0]).shape.elements();
  const bool pools = std::holds_alternative<Pool2dAttr>(node.attributes);
  return pools ? graph.value(node.inputs[0]).shape.elements() : 1;
}

bool foldable(const Graph& graph, const Node& node) {
  const auto variable = [&](ValueId input) { return input != kNone && !graph.is_constant(input); };
  if (std::ranges::any_of(node.inputs, variable)) return false;
  if (std::ranges::any_of(node.outputs, [&](ValueId output) { return graph.is_output(output); })) return false;
  return folding_steps(graph, node) <= kMaxSteps;
}

Result<std::vector<Constant>> evaluate(const Graph& graph, const Node& node) {
  if (node.op == OpType::kDequantize && node.activation == Activation::kNone &&
      graph.value(node.inputs[0]).type == DataType::kFloat16) {
    return std::vector<Constant>{*graph.value(node.inputs[0]).constant};
  }
  std::vector<HostTensor> tensors(node.inputs.size());
  std::vector<const HostTensor*> inputs(node.inputs.size(), nullptr);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) continue;
    SIGHTGLASS_ASSIGN_OR_RETURN(tensors[i], ref::constant_tensor(graph, node.inputs[i]));
    inputs[i] = &tensors[i];
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> results, ref::evaluate(graph, node, inputs));
  std::vector<Constant> constants;
  for (HostTensor& result : results) {
    const auto storage = std::make_shared<const std::vector<std::byte>>(std::move(result.data));
    constants.push_back({result.type, *storage, storage});
  }
  return constants;
}

template <typename T>
void count_up(HostTensor& numbers) {
  std::iota(numbers.as<T>().begin(), numbers.as<T>().end(), std::numeric_limits<T>::lowest());
}

}  // namespace

HostTensor ref::all_integers(DataType type, int rank) {
  Shape shape(std::vector<int32_t>(static_cast<size_t>(std::max(rank, 1)), 1));
  shape.set_dim(shape.rank() - 1, 1 << (8 * size_of(type)));
  HostTensor numbers(type, shape);
  if (type == DataType::kInt8) {
    count_up<int8_t>(numbers);
  } else if (type == DataType::kUInt8) {
    count_up<uint8_t>(numbers);
  } else {
    count_up<int16_t>(numbers);
  }
  return numbers;
}

Result<HostTensor> ref::evaluate_elements(const Graph& graph, const Node& node, const std::vector<HostTensor>& inputs) {
  Graph scratch;
  Node alone = node;
  const auto add = [&](ValueId id, const Shape& shape) {
    Value value;
    value.name = graph.value(id).name;
    value.type = graph.value(id).type;
    value.quantization = graph.value(id).quantization;
    value.shape = shape;
    return scratch.add_value(std::move(value));
  };
  std::vector<const HostTensor*> tensors;
  const Shape* largest = &inputs[0].shape;
  for (size_t i = 0; i < inputs.size(); ++i) {
    alone.inputs[i] = add(node.inputs[i], inputs[i].shape);
    tensors.push_back(&inputs[i]);
    if (inputs[i].shape.elements() > largest->elements()) largest = &inputs[i].shape;
  }
  alone.outputs = {add(node.outputs[0], *largest)};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> results, evaluate(scratch, alone, tensors));
  return std::move(results[0]);
}

int64_t folding_steps(const Graph& graph, const Node& node) {
  int64_t steps = 0;
  for (const ValueId input : node.inputs) steps += input == kNone ? 0 : graph.value(input).shape.elements();
  for (const ValueId output : node.outputs) {
    steps += graph.value(output).shape.elements() * steps_per_output(graph, node);
  }
  return steps;
}

Status fold_if_constant(Graph& graph, NodeId id, bool* folded) {
  *folded = false;
  if (!foldable(graph, graph.node(id))) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<Constant> constants, evaluate(graph, graph.node(id)));
  const std::vector<ValueId> outputs = graph.node(id).outputs;
  graph.remove_node(id);
  for (size_t i = 0; i < outputs.size(); ++i) graph.value(outputs[i]).constant = std::move(constants[i]);
  *folded = true;
  return {};
}

}  // namespace sightglass

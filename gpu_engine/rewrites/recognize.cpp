// Recognizes activations that a file spells out in arithmetic, and functions of one 8-bit value.
#include <algorithm>
#include <array>

#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "ref/ref_ops.h"
#include "rewrites/rewrites.h"

namespace sightglass {
namespace {

// The producer of the value, if it has that operator.
const Node* made_by(const Graph& graph, ValueId id, OpType op) {
  const NodeId producer = id == kNone ? kNone : graph.value(id).producer;
  if (producer == kNone || graph.node(producer).op != op) return nullptr;
  return &graph.node(producer);
}

// The other operand of a two-input node, if one is a constant with `number` throughout.
std::optional<ValueId> operand_beside(const Graph& graph, const Node& node, float number) {
  for (const size_t i : {0, 1}) {
    if (rewriting::is_near(rewriting::uniform_constant(graph, node.inputs[i]), number)) return node.inputs[1 - i];
  }
  return std::nullopt;
}

// x, if the value is relu6(x + 3).
std::optional<ValueId> shifted_relu6_of(const Graph& graph, ValueId id) {
  const Node* add = made_by(graph, id, OpType::kAdd);
  Activation expected = Activation::kRelu6;
  if (const Node* relu6 = made_by(graph, id, OpType::kRelu6)) {
    if (relu6->activation != Activation::kNone) return std::nullopt;
    add = made_by(graph, relu6->inputs[0], OpType::kAdd);
    expected = Activation::kNone;
  }
  if (add == nullptr || add->activation != expected) return std::nullopt;
  const std::optional<ValueId> x = operand_beside(graph, *add, 3.0f);
  if (!x || graph.value(*x).shape != graph.value(id).shape) return std::nullopt;
  return x;
}

constexpr float kSixth = 1.0f / 6.0f;

// x, if a product of the three, in any order, is x * relu6(x + 3) / 6.
std::optional<ValueId> hard_swish_operand(const Graph& graph, const std::array<ValueId, 3>& factors) {
  for (const size_t sixth : {0, 1, 2}) {
    if (!rewriting::is_near(rewriting::uniform_constant(graph, factors[sixth]), kSixth)) continue;
    const ValueId a = factors[(sixth + 1) % 3];
    const ValueId b = factors[(sixth + 2) % 3];
    if (shifted_relu6_of(graph, a) == b) return b;
    if (shifted_relu6_of(graph, b) == a) return a;
  }
  return std::nullopt;
}

// x, if the product is relu6(x + 3) / 6.
std::optional<ValueId> hard_sigmoid_operand(const Graph& graph, const Node& product) {
  const std::optional<ValueId> clamped = operand_beside(graph, product, kSixth);
  return clamped ? shifted_relu6_of(graph, *clamped) : std::nullopt;
}

RewriteOutcome make_hard_swish(Graph& graph, NodeId id, ValueId x) {
  if (graph.node(id).activation != Activation::kNone) {
    return RewriteOutcome::declined(std::string("the product has the activation ") +
                                    to_string(graph.node(id).activation));
  }
  if (graph.value(x).shape != graph.value(graph.node(id).outputs[0]).shape) {
    return RewriteOutcome::declined("a factor broadcasts the product to another shape");
  }
  Node hard_swish;
  hard_swish.op = OpType::kHardSwish;
  hard_swish.inputs = {x};
  rewriting::replace_node(graph, id, std::move(hard_swish));
  graph.remove_dead_nodes();
  return RewriteOutcome::applied();
}

RewriteOutcome make_hard_sigmoid(Graph& graph, NodeId id, ValueId x) {
  const Node& node = graph.node(id);
  if (node.activation != Activation::kNone) {
    return RewriteOutcome::declined(std::string("the product has the activation ") + to_string(node.activation));
  }
  if (const auto obstacle = rewriting::obstacle_to_activating(graph, x, Activation::kHardSigmoid, 1)) {
    return RewriteOutcome::declined(*obstacle);
  }
  // From the product back to x: each step has only the next one as reader.
  const ValueId out = node.outputs[0];
  for (ValueId value = *operand_beside(graph, node, kSixth); value != x;) {
    if (!rewriting::read_once(graph, value)) {
      return RewriteOutcome::declined(quote(graph.value(value).name) + " is read by others as well");
    }
    const Node& step = graph.node(graph.value(value).producer);
    value = step.op == OpType::kAdd ? x : step.inputs[0];
  }
  if (graph.value(x).shape != graph.value(out).shape) {
    return RewriteOutcome::declined("a factor broadcasts the product to another shape");
  }
  rewriting::activate_producer(graph, x, Activation::kHardSigmoid, out);
  return RewriteOutcome::applied();
}

}  // namespace

RewriteOutcome recognize_hard_swish(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op != OpType::kMul) return RewriteOutcome::not_matched();
  for (const size_t i : {0, 1}) {
    const Node* inner = made_by(graph, node.inputs[i], OpType::kMul);
    if (inner == nullptr || inner->activation != Activation::kNone) continue;
    const std::optional<ValueId> x =
        hard_swish_operand(graph, {node.inputs[1 - i], inner->inputs[0], inner->inputs[1]});
    if (x) return make_hard_swish(graph, id, *x);
  }
  const std::optional<ValueId> x = hard_sigmoid_operand(graph, node);
  return x ? make_hard_sigmoid(graph, id, *x) : RewriteOutcome::not_matched();
}

RewriteOutcome recognize_swish(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op != OpType::kMul) return RewriteOutcome::not_matched();
  for (const size_t i : {0, 1}) {
    const ValueId x = node.inputs[i];
    const ValueId gate = node.inputs[1 - i];
    const Node* logistic = made_by(graph, gate, OpType::kLogistic);
    if (logistic == nullptr || logistic->inputs[0] != x) continue;
    if (node.activation != Activation::kNone || logistic->activation != Activation::kNone) {
      return RewriteOutcome::declined("the product or the LOGISTIC has an activation");
    }
    if (!rewriting::read_once(graph, gate)) {
      return RewriteOutcome::declined(quote(graph.value(gate).name) + " is read by others as well");
    }
    // The LOGISTIC and the product read x.
    if (const auto obstacle = rewriting::obstacle_to_activating(graph, x, Activation::kSwish, 2)) {
      return RewriteOutcome::declined(*obstacle);
    }
    rewriting::activate_producer(graph, x, Activation::kSwish, node.outputs[0]);
    return RewriteOutcome::applied();
  }
  return RewriteOutcome::not_matched();
}

// Functions of one 8-bit tensor as tables of their results: computed from it alone, element by element.

namespace {

bool has_8_bits(const Value& value) { return is_quantized(value) && value.type != DataType::kInt16; }

// Whether each result is a function of the elements in its place.
bool is_elementwise(const Node& node) {
  switch (node.op) {
    case OpType::kQuantize:
    case OpType::kDequantize:
    case OpType::kReinterpret:
    case OpType::kLookup:
      return true;
    default:
      return operators::has(node.op, operators::kUnary) || operators::has(node.op, operators::kBinary);
  }
}

// Only zero points that are integers of their type count steps as other code expects.
bool is_zero_in_type(const Value& value) {
  const QuantumRange range = quantum_range(value, Activation::kNone);
  return range.lowest <= 0 && range.highest >= 0;
}

// All results of `value` for the integers of `data`: one, if it is a constant of one element. `nodes`: how many of them
// may be between the two.
std::optional<HostTensor> results_for(const Graph& graph, ValueId value, ValueId data, int nodes) {
  if (value == kNone) return std::nullopt;
  const Value &made = graph.value(value), &from = graph.value(data);
  if (!has_8_bits(from) || (!has_8_bits(made) && made.type != DataType::kFloat32)) return std::nullopt;
  if (value == data) return ref::all_integers(from.type, from.shape.rank());
  if (graph.is_constant(value)) {
    if (made.shape.elements() != 1 || made.shape.rank() > std::max(from.shape.rank(), 1)) return std::nullopt;
    const Result<HostTensor> number = ref::constant_tensor(graph, value);
    return number.ok() ? std::optional(*number) : std::nullopt;
  }
  if (nodes == 0 || made.producer == kNone || made.shape != from.shape) return std::nullopt;
  const Node& node = graph.node(made.producer);
  if (!is_elementwise(node)) return std::nullopt;
  std::vector<HostTensor> inputs;
  for (const ValueId input : node.inputs) {
    std::optional<HostTensor> results = results_for(graph, input, data, nodes - 1);
    if (!results) return std::nullopt;
    inputs.push_back(std::move(*results));
  }
  const Result<HostTensor> results = ref::evaluate_elements(graph, node, inputs);
  return results.ok() ? std::optional(*results) : std::nullopt;
}

std::optional<std::vector<int32_t>> table_of(const Graph& graph, ValueId value, ValueId data, int nodes) {
  const std::optional<HostTensor> results = results_for(graph, value, data, nodes);
  if (!results || results->shape.elements() != 256) return std::nullopt;
  if (results->type == DataType::kUInt8) {
    return std::vector<int32_t>(results->as<uint8_t>().begin(), results->as<uint8_t>().end());
  }
  return std::vector<int32_t>(results->as<int8_t>().begin(), results->as<int8_t>().end());
}

bool is_read_only_by(const Graph& graph, ValueId value, NodeId reader) {
  return !graph.is_output(value) &&
         std::ranges::all_of(graph.value(value).users, [&](NodeId user) { return user == reader; });
}

// DEQUANTIZE, a function of floats, and QUANTIZE, for example.
constexpr int kMostNodes = 3;

// The 8-bit tensors of which the node may be a function, through at most `nodes` more that nobody else reads: those
// that these nodes read.
void add_data_before(const Graph& graph, NodeId id, int nodes, std::vector<ValueId>& data) {
  for (const ValueId between : graph.node(id).inputs) {
    const NodeId producer = between == kNone ? kNone : graph.value(between).producer;
    if (producer == kNone || !is_elementwise(graph.node(producer)) || !is_read_only_by(graph, between, id)) continue;
    for (const ValueId input : graph.node(producer).inputs) {
      if (input != kNone && !graph.is_constant(input) && has_8_bits(graph.value(input))) data.push_back(input);
    }
    if (nodes > 1) add_data_before(graph, producer, nodes - 1, data);
  }
}

// Whether the table leaves the integers and their quantization as they are.
bool is_identity(const Value& from, const Value& to, const std::vector<int32_t>& table) {
  const int32_t lowest = quantum_range(from, Activation::kNone).lowest + zero_point(from);
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i] != lowest + static_cast<int32_t>(i)) return false;
  }
  return from.type == to.type && scale_of(from) == scale_of(to) && zero_point(from) == zero_point(to);
}

}  // namespace

// A few nodes, of which the last one reads the others: x * logistic(x), for example.
RewriteOutcome tabulate_function(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const ValueId out = node.outputs[0];
  if (!is_elementwise(node) || !has_8_bits(graph.value(out))) return RewriteOutcome::not_matched();
  std::vector<ValueId> candidates;
  add_data_before(graph, id, kMostNodes - 1, candidates);
  for (const ValueId data : candidates) {
    std::optional<std::vector<int32_t>> table = table_of(graph, out, data, kMostNodes);
    if (!table) continue;
    if (!graph.is_output(out) && is_identity(graph.value(data), graph.value(out), *table)) {
      graph.replace_uses(out, data);
      graph.remove_dead_nodes();
      return RewriteOutcome::applied();
    }
    Node lookup;
    lookup.op = OpType::kLookup;
    lookup.attributes = LookupAttr{std::move(*table)};
    lookup.inputs = {data};
    std::string origin;
    for (const ValueId input : node.inputs) {
      const NodeId producer = input == data ? kNone : graph.value(input).producer;
      if (producer != kNone) origin += graph.node(producer).origin + " + ";
    }
    origin += node.origin;
    rewriting::replace_node(graph, id, std::move(lookup));
    graph.node(graph.value(out).producer).origin = origin;
    graph.remove_dead_nodes();
    return RewriteOutcome::applied();
  }
  return RewriteOutcome::not_matched();
}

// Moves the integers of a tensor, not the floats between DEQUANTIZE and QUANTIZE, which then are one function.
RewriteOutcome quantize_before_moving(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op != OpType::kQuantize || !has_8_bits(graph.value(node.outputs[0]))) return RewriteOutcome::not_matched();
  const ValueId moved = node.inputs[0], out = node.outputs[0];
  const NodeId mover = graph.value(moved).producer;
  if (mover == kNone || graph.value(moved).type != DataType::kFloat32) return RewriteOutcome::not_matched();
  switch (graph.node(mover).op) {
    case OpType::kMirrorPad:
    case OpType::kResizeNearest:
    case OpType::kTranspose:
    case OpType::kReshape:
      break;
    default:
      return RewriteOutcome::not_matched();
  }
  const ValueId data = graph.node(mover).inputs[0];
  const NodeId before = graph.value(data).producer;
  if (before == kNone) return RewriteOutcome::not_matched();
  const OpType op = graph.node(before).op;
  if (op != OpType::kDequantize && op != OpType::kMirrorPad && op != OpType::kResizeNearest) {
    return RewriteOutcome::not_matched();
  }
  const bool plain = graph.node(mover).activation == Activation::kNone && node.activation == Activation::kNone;
  if (!plain || !is_read_only_by(graph, moved, id) || !is_read_only_by(graph, data, mover)) {
    return RewriteOutcome::declined("the moved tensor is read by others, or has an activation");
  }
  Value integers = rewriting::unlinked(graph, out);
  integers.name = graph.value(data).name + " in 8 bits";
  integers.shape = graph.value(data).shape;
  Node quantize = node;
  quantize.inputs = {data};
  quantize.outputs = {graph.add_value(std::move(integers))};
  Node move = graph.node(mover);
  move.inputs = {quantize.outputs[0]};
  graph.add_node(std::move(quantize), id);
  const std::string origin = move.origin;
  rewriting::replace_node(graph, id, std::move(move));
  graph.node(graph.value(out).producer).origin = origin;
  graph.remove_node(mover);
  return RewriteOutcome::applied();
}

// Moves a function of the results of a convolution in integers into the convolution.
RewriteOutcome fuse_table(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const ValueId out = node.outputs[0];
  if (!is_elementwise(node) || !has_8_bits(graph.value(out))) return RewriteOutcome::not_matched();
  const auto data = std::ranges::find_if(node.inputs, [&](ValueId input) { return !graph.is_constant(input); });
  const NodeId conv = data == node.inputs.end() ? kNone : graph.value(*data).producer;
  if (conv == kNone || !rewriting::sums_into_integers(graph, conv)) return RewriteOutcome::not_matched();
  const Value& sums = graph.value(*data);
  const bool free = node.op == OpType::kReinterpret && zero_point(sums) == zero_point(graph.value(out));
  if (free || graph.node(conv).rounded) return RewriteOutcome::not_matched();
  if (!is_read_only_by(graph, *data, id)) {
    return RewriteOutcome::declined(quote(sums.name) + " is read by others or an output");
  }
  if (graph.value(out).type != sums.type || !is_zero_in_type(sums)) {
    return RewriteOutcome::declined("the types differ, or a zero point is none of its type");
  }
  std::optional<std::vector<int32_t>> table = table_of(graph, out, *data, 1);
  if (!table) return RewriteOutcome::not_matched();
  Value rounded = rewriting::unlinked(graph, *data);
  const std::string origin = graph.node(conv).origin + " + " + node.origin;
  graph.remove_node(id);
  Node& fused = graph.node(conv);
  fused.rounded = std::move(rounded);
  fused.table = std::move(*table);
  fused.origin = origin;
  graph.set_output(conv, 0, out);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

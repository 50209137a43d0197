// Recognizes activations that a file spells out in arithmetic.
#include <array>

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

}  // namespace sightglass

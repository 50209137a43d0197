// Moves an addition to the output of a convolution into the convolution.
#include "rewrites/common.h"

namespace sightglass {
namespace {

// The reason why the convolution that computes input `summand` of the addition cannot add the other input.
std::optional<std::string> obstacle_to_adding(const Graph& graph, const Node& add, size_t summand) {
  const ValueId made = add.inputs[summand];
  const NodeId conv = graph.value(made).producer;
  const Node& node = graph.node(conv);
  const Shape &sums = graph.value(made).shape, &other = graph.value(add.inputs[1 - summand]).shape;
  if (other != sums && other != one_pixel(sums)) return "the shapes differ";
  if (node.activation != Activation::kNone) {
    return describe(graph, conv) + " has the activation " + to_string(node.activation);
  }
  if (residual_of(node) != kNone) return describe(graph, conv) + " adds a tensor already";
  if (!rewriting::read_once(graph, made)) return quote(graph.value(made).name) + " is read by others or an output";
  return rewriting::obstacle_to_more_operands(graph, conv);
}

bool is_conv(const Graph& graph, ValueId value) {
  const NodeId producer = graph.value(value).producer;
  return producer != kNone && graph.node(producer).op == OpType::kConv2d;
}

}  // namespace

// The convolution moves to the position of the addition, where the other input exists.
RewriteOutcome fuse_residual(Graph& graph, NodeId id) {
  const Node& add = graph.node(id);
  if (add.op != OpType::kAdd || add.inputs[0] == add.inputs[1]) return RewriteOutcome::not_matched();
  if (graph.is_constant(add.inputs[0]) || graph.is_constant(add.inputs[1])) return RewriteOutcome::not_matched();
  std::string reason;
  for (const size_t summand : {1, 0}) {
    if (!is_conv(graph, add.inputs[summand])) continue;
    if (const auto obstacle = obstacle_to_adding(graph, add, summand)) {
      reason = *obstacle;
      continue;
    }
    const NodeId conv = graph.value(add.inputs[summand]).producer;
    Node fused = graph.node(conv);
    if (fused.inputs.size() <= kResidualInput) fused.inputs.resize(kResidualInput + 1, kNone);
    fused.inputs[kResidualInput] = add.inputs[1 - summand];
    fused.activation = add.activation;
    const ValueId sum = add.outputs[0];
    const std::string origin = fused.origin + " + " + add.origin;
    rewriting::replace_node(graph, id, std::move(fused));
    graph.node(graph.value(sum).producer).origin = origin;
    graph.remove_node(conv);
    return RewriteOutcome::applied();
  }
  return reason.empty() ? RewriteOutcome::not_matched() : RewriteOutcome::declined(reason);
}

}  // namespace sightglass

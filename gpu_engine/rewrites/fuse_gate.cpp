// Moves a multiplication by one value per channel, as in squeeze-and-excite blocks, into the convolution that reads it.
#include "rewrites/common.h"

namespace sightglass {
namespace {

// Index of the gate among the inputs of the multiplication: one value per channel of each image.
std::optional<size_t> gate_input(const Graph& graph, const Node& mul) {
  const Shape& out = graph.value(mul.outputs[0]).shape;
  if (out.rank() != 4 || mul.activation != Activation::kNone) return std::nullopt;
  for (const size_t gate : {1, 0}) {
    const bool computed = !graph.is_constant(mul.inputs[0]) && !graph.is_constant(mul.inputs[1]);
    const Shape per_channel{out.dim(0), 1, 1, out.dim(3)};
    if (computed && graph.value(mul.inputs[gate]).shape == per_channel &&
        graph.value(mul.inputs[1 - gate]).shape == out) {
      return gate;
    }
  }
  return std::nullopt;
}

}  // namespace

RewriteOutcome fuse_gate(Graph& graph, NodeId id) {
  if (graph.node(id).op != OpType::kConv2d) return RewriteOutcome::not_matched();
  const NodeId mul = graph.value(graph.node(id).inputs[0]).producer;
  if (mul == kNone || graph.node(mul).op != OpType::kMul) return RewriteOutcome::not_matched();
  const std::optional<size_t> gate = gate_input(graph, graph.node(mul));
  if (!gate) return RewriteOutcome::not_matched();
  if (const auto obstacle = rewriting::obstacle_to_more_operands(graph, id)) return RewriteOutcome::declined(*obstacle);
  if (gate_of(graph.node(id)) != kNone) return RewriteOutcome::declined("it has a gate already");
  const ValueId product = graph.node(mul).outputs[0];
  if (!rewriting::read_once(graph, product)) {
    return RewriteOutcome::declined(quote(graph.value(product).name) + " is read by others or an output");
  }
  const ValueId data = graph.node(mul).inputs[1 - *gate], factors = graph.node(mul).inputs[*gate];
  while (graph.node(id).inputs.size() <= kGateInput) graph.append_input(id, kNone);
  graph.set_input(id, kGateInput, factors);
  graph.set_input(id, 0, data);
  graph.remove_node(mul);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

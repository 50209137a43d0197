// Removes operators that do not change their input.
#include <algorithm>

#include "graph/operator_table.h"
#include "rewrites/common.h"

namespace sightglass {
namespace {

bool selects_everything(const StridedSliceAttr& attr, const Shape& in) {
  for (size_t i = 0; i < static_cast<size_t>(in.rank()); ++i) {
    if (attr.begin[i] != 0 || attr.stride[i] != 1 || attr.size[i] != in.dim(static_cast<int>(i))) return false;
  }
  return true;
}

// Whether output 0 has the elements of input 0, apart from the activation.
bool moves_nothing(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == kNone) return false;
  const Shape& in = graph.value(node.inputs[0]).shape;
  if (in != graph.value(node.outputs[0]).shape) return false;
  if (operators::has(node.op, operators::kKeepsEqualShapes)) return true;
  if (node.op == OpType::kConcat) return node.inputs.size() == 1;
  if (const auto* slice = std::get_if<StridedSliceAttr>(&node.attributes)) return selects_everything(*slice, in);
  if (node.op != OpType::kAveragePool2d && node.op != OpType::kMaxPool2d) return false;
  const auto& pool = std::get<Pool2dAttr>(node.attributes);
  return pool.filter_h == 1 && pool.filter_w == 1 && pool.stride_h == 1 && pool.stride_w == 1;
}

RewriteOutcome remove_identity(Graph& graph, NodeId id) {
  const ValueId in = graph.node(id).inputs[0];
  const ValueId out = graph.node(id).outputs[0];
  if (graph.node(id).activation != Activation::kNone) {
    return RewriteOutcome::declined(std::string("it has the activation ") + to_string(graph.node(id).activation));
  }
  if (graph.is_output(out) && (graph.value(in).producer == kNone || graph.is_output(in))) {
    return RewriteOutcome::declined("an output of the graph would be its input, a constant or another output");
  }
  graph.replace_uses(out, in);
  graph.remove_node(id);
  return RewriteOutcome::applied();
}

// Makes the second of two reshapes read the input of the first one.
RewriteOutcome shorten_chain(Graph& graph, NodeId id) {
  const ValueId between = graph.node(id).inputs[0];
  const NodeId first = graph.value(between).producer;
  if (first == kNone || graph.node(first).op != OpType::kReshape) return RewriteOutcome::not_matched();
  if (graph.node(first).activation != Activation::kNone) {
    return RewriteOutcome::declined("the first RESHAPE has an activation");
  }
  graph.set_input(id, 0, graph.node(first).inputs[0]);
  if (graph.value(between).users.empty() && !graph.is_output(between)) graph.remove_node(first);
  return RewriteOutcome::applied();
}

}  // namespace

RewriteOutcome remove_identities(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (moves_nothing(graph, node)) return remove_identity(graph, id);
  return node.op == OpType::kReshape ? shorten_chain(graph, id) : RewriteOutcome::not_matched();
}

}  // namespace sightglass

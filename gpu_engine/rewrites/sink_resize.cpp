// Moves an enlargement after a 1×1 convolution. The weights of bilinear interpolation add up to one, so both orders
// give the same results apart from rounding, biases included, and the convolution has fewer pixels to compute.
#include <utility>

#include "rewrites/common.h"

namespace sightglass {

RewriteOutcome sink_resize(Graph& graph, NodeId id) {
  const Node conv = graph.node(id);
  if (!rewriting::is_pointwise_conv(graph, conv)) return RewriteOutcome::not_matched();
  const NodeId producer = graph.value(conv.inputs[0]).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kResizeBilinear) return RewriteOutcome::not_matched();
  Node resize = graph.node(producer);
  const Shape &small = graph.value(resize.inputs[0]).shape, &large = graph.value(conv.inputs[0]).shape;
  Shape shape = graph.value(conv.outputs[0]).shape;
  if (small.elements() >= large.elements()) return RewriteOutcome::declined("it does not enlarge");
  if (shape.dim(3) > large.dim(3)) return RewriteOutcome::declined("there are more channels after the convolution");
  if (!rewriting::read_once(graph, conv.inputs[0])) {
    return RewriteOutcome::declined(quote(graph.value(conv.inputs[0]).name) + " is read by others or an output");
  }
  if (resize.activation != Activation::kNone) return RewriteOutcome::declined("it has an activation");
  if (conv.activation == Activation::kPrelu) return RewriteOutcome::declined("the convolution has a PRELU");
  if (residual_of(conv) != kNone || gate_of(conv) != kNone) {
    return RewriteOutcome::declined("the convolution reads other tensors");
  }
  Node sums = conv;
  Value value = graph.value(conv.outputs[0]);
  value.name += "/before resizing";
  shape.set_dim(1, small.dim(1));
  shape.set_dim(2, small.dim(2));
  value.shape = shape;
  sums.activation = Activation::kNone;
  sums.inputs[0] = resize.inputs[0];
  sums.outputs = {graph.add_value(std::move(value))};
  resize.inputs[0] = sums.outputs[0];
  resize.activation = conv.activation;
  graph.add_node(std::move(sums), id);
  const std::string origin = resize.origin;
  rewriting::replace_node(graph, id, std::move(resize));
  graph.node(graph.value(conv.outputs[0]).producer).origin = origin;
  graph.remove_node(producer);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

// Replaces an average over the whole image by a mean over rows and columns, which has a specialized kernel.
#include "rewrites/common.h"

namespace sightglass {

RewriteOutcome global_pool(Graph& graph, NodeId id) {
  Node& node = graph.node(id);
  if (node.op != OpType::kAveragePool2d) return RewriteOutcome::not_matched();
  const auto& attr = std::get<Pool2dAttr>(node.attributes);
  const Shape& in = graph.value(node.inputs[0]).shape;
  if (attr.filter_h < in.dim(1) || attr.filter_w < in.dim(2)) return RewriteOutcome::not_matched();
  const Padding2d& padding = attr.padding;
  if (padding.top != 0 || padding.bottom != 0 || padding.left != 0 || padding.right != 0) {
    return RewriteOutcome::declined("it is padded");
  }
  node.op = OpType::kMean;
  node.attributes = ReduceAttr{{1, 2}, true};
  return RewriteOutcome::applied();
}

}  // namespace sightglass

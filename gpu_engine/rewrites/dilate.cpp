// Replaces a convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND by a dilated one.
#include <array>

#include "rewrites/common.h"

namespace sightglass {
namespace {

// Rows or columns of the three nodes.
struct Axis {
  int64_t in = 0, out = 0;
  int64_t block = 0, padding = 0, crop = 0;
  int64_t filter = 0, dilation = 0, before = 0;  // of the convolution
};

// Padding of the dilated convolution before and after the image: output y reads the input of output y + crop of the
// padded image in the original, and the number of outputs is the same.
std::array<int64_t, 2> padding_of(const Axis& a) {
  const int64_t before = a.padding + a.before * a.block - a.crop;
  const int64_t extent = (a.filter - 1) * a.dilation * a.block + 1;
  return {before, a.out - 1 + extent - a.in - before};
}

template <typename Attr>
RewriteOutcome dilate(Graph& graph, NodeId to_batch, NodeId conv, NodeId to_space) {
  const auto& blocks = std::get<BatchSpaceAttr>(graph.node(to_batch).attributes);
  const auto& crops = std::get<BatchSpaceAttr>(graph.node(to_space).attributes);
  auto attr = std::get<Attr>(graph.node(conv).attributes);
  const ValueId batches = graph.node(to_batch).outputs[0], made = graph.node(conv).outputs[0];
  const ValueId in = graph.node(to_batch).inputs[0], out = graph.node(to_space).outputs[0];
  if (blocks.block.size() != 2) return RewriteOutcome::declined("it does not have two dimensions of blocks");
  if (blocks.block != crops.block) return RewriteOutcome::declined("the two operators have other blocks");
  if (residual_of(graph.node(conv)) != kNone || gate_of(graph.node(conv)) != kNone) {
    return RewriteOutcome::declined("the convolution reads other tensors");
  }
  if (attr.stride_h != 1 || attr.stride_w != 1) return RewriteOutcome::declined("the convolution has strides");
  if (graph.node(to_batch).activation != Activation::kNone || graph.node(to_space).activation != Activation::kNone) {
    return RewriteOutcome::declined("SPACE_TO_BATCH_ND or BATCH_TO_SPACE_ND has an activation");
  }
  if (!rewriting::read_once(graph, batches) || !rewriting::read_once(graph, made)) {
    return RewriteOutcome::declined("a tensor between them is read by others as well");
  }
  const Shape &from = graph.value(in).shape, &to = graph.value(out).shape;
  const Shape& filter = graph.value(graph.node(conv).inputs[1]).shape;
  const Axis rows{from.dim(1),     to.dim(1),     blocks.block[0], blocks.before[0],
                  crops.before[0], filter.dim(1), attr.dilation_h, attr.padding.top};
  const Axis columns{from.dim(2),     to.dim(2),     blocks.block[1], blocks.before[1],
                     crops.before[1], filter.dim(2), attr.dilation_w, attr.padding.left};
  const auto [top, bottom] = padding_of(rows);
  const auto [left, right] = padding_of(columns);
  constexpr int64_t kMost = 1 << 30;
  for (const int64_t side : {top, bottom, left, right}) {
    if (side < 0) return RewriteOutcome::declined("it crops more than the padding adds");
    if (side > kMost) return RewriteOutcome::declined("the padding is too large");
  }
  if (rows.dilation * rows.block > kMost || columns.dilation * columns.block > kMost) {
    return RewriteOutcome::declined("the dilation is too large");
  }
  attr.dilation_h *= blocks.block[0];
  attr.dilation_w *= blocks.block[1];
  attr.padding = {PaddingMode::kExplicit, static_cast<int32_t>(top), static_cast<int32_t>(bottom),
                  static_cast<int32_t>(left), static_cast<int32_t>(right)};
  graph.remove_node(to_space);
  graph.set_input(conv, 0, in);
  graph.node(conv).attributes = attr;
  graph.set_output(conv, 0, out);
  graph.remove_node(to_batch);
  return RewriteOutcome::applied();
}

}  // namespace

RewriteOutcome dilate_convolution(Graph& graph, NodeId id) {
  if (graph.node(id).op != OpType::kBatchToSpace) return RewriteOutcome::not_matched();
  const NodeId conv = graph.value(graph.node(id).inputs[0]).producer;
  if (conv == kNone) return RewriteOutcome::not_matched();
  const OpType op = graph.node(conv).op;
  if (op != OpType::kConv2d && op != OpType::kDepthwiseConv2d) return RewriteOutcome::not_matched();
  const NodeId to_batch = graph.value(graph.node(conv).inputs[0]).producer;
  if (to_batch == kNone || graph.node(to_batch).op != OpType::kSpaceToBatch) return RewriteOutcome::not_matched();
  return op == OpType::kConv2d ? dilate<Conv2dAttr>(graph, to_batch, conv, id)
                               : dilate<DepthwiseConv2dAttr>(graph, to_batch, conv, id);
}

}  // namespace sightglass

// Moves a PAD of rows and columns into the padding of its reader.
#include "graph/operator_table.h"
#include "rewrites/common.h"

namespace sightglass {
namespace {

Padding2d* padding_of(Node& node) {
  if (auto* conv = std::get_if<Conv2dAttr>(&node.attributes)) return &conv->padding;
  if (auto* depthwise = std::get_if<DepthwiseConv2dAttr>(&node.attributes)) return &depthwise->padding;
  if (auto* pool = std::get_if<Pool2dAttr>(&node.attributes)) return &pool->padding;
  return nullptr;
}

// Small enough that the sum of two does not overflow.
bool fits(const Padding2d& padding) {
  constexpr int32_t kLimit = 1 << 30;
  return padding.top < kLimit && padding.bottom < kLimit && padding.left < kLimit && padding.right < kLimit;
}

bool known_not_negative(const Graph& graph, ValueId id) {
  const NodeId producer = graph.value(id).producer;
  if (producer == kNone) return false;
  const Node& node = graph.node(producer);
  switch (node.activation) {
    case Activation::kRelu:
    case Activation::kRelu6:
    case Activation::kLogistic:
    case Activation::kHardSigmoid:
      return true;
    case Activation::kNone:
      break;
    default:
      return false;
  }
  return operators::has(node.op, operators::kNotNegative);
}

// A maximum ignores its own padding, but would see the zeros of a PAD. The result is the same if no value is negative
// and every window reaches the image.
std::optional<std::string> obstacle_in_max_pool(const Graph& graph, ValueId picture, const Pool2dAttr& attr) {
  if (!known_not_negative(graph, picture)) return "a maximum with padded zeros needs an input that is never negative";
  const Padding2d& padding = attr.padding;
  if (padding.top >= attr.filter_h || padding.bottom >= attr.filter_h || padding.left >= attr.filter_w ||
      padding.right >= attr.filter_w) {
    return "a window would contain only padding";
  }
  return std::nullopt;
}

}  // namespace

RewriteOutcome fold_padding(Graph& graph, NodeId id) {
  const OpType op = graph.node(id).op;
  if (op != OpType::kConv2d && op != OpType::kDepthwiseConv2d && op != OpType::kMaxPool2d &&
      op != OpType::kAveragePool2d) {
    return RewriteOutcome::not_matched();
  }
  const ValueId padded = graph.node(id).inputs[0];
  const NodeId pad_id = graph.value(padded).producer;
  if (pad_id == kNone || graph.node(pad_id).op != OpType::kPad) return RewriteOutcome::not_matched();
  const Node& pad = graph.node(pad_id);
  const auto& attr = std::get<PadAttr>(pad.attributes);
  if (op == OpType::kAveragePool2d) {
    return RewriteOutcome::declined("an average counts the zeros of a PAD, but not its own padding");
  }
  if (attr.value != 0.0f) return RewriteOutcome::declined("it pads with a value other than 0");
  if (pad.activation != Activation::kNone) return RewriteOutcome::declined("the PAD has an activation");
  if (attr.before[0] != 0 || attr.after[0] != 0 || attr.before[3] != 0 || attr.after[3] != 0) {
    return RewriteOutcome::declined("it pads batches or channels");
  }

  Node merged = graph.node(id);
  if (!fits(*padding_of(merged)) || !fits({{}, attr.before[1], attr.after[1], attr.before[2], attr.after[2]})) {
    return RewriteOutcome::declined("the padding is too large");
  }
  merged.inputs[0] = pad.inputs[0];
  Padding2d& padding = *padding_of(merged);
  padding = {PaddingMode::kExplicit, padding.top + attr.before[1], padding.bottom + attr.after[1],
             padding.left + attr.before[2], padding.right + attr.after[2]};
  if (op == OpType::kMaxPool2d) {
    const auto obstacle = obstacle_in_max_pool(graph, pad.inputs[0], std::get<Pool2dAttr>(merged.attributes));
    if (obstacle) return RewriteOutcome::declined(*obstacle);
  }
  graph.set_input(id, 0, pad.inputs[0]);
  graph.node(id).attributes = merged.attributes;
  if (graph.value(padded).users.empty() && !graph.is_output(padded)) graph.remove_node(pad_id);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

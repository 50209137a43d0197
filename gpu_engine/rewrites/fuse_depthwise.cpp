// Merges a depthwise convolution and the 1×1 convolution that reads it into one node.
#include "rewrites/common.h"

namespace sightglass {
namespace {

// Output channels per invocation: no depthwise work is repeated.
constexpr int32_t kMostOutputs = 16;
// One invocation sums over the channels of the data, so their number is bounded; and there must be enough invocations.
constexpr int32_t kMostChannels = 256;
constexpr int64_t kFewestPixels = 256;

bool is_pointwise(const Graph& graph, const Node& node) {
  if (node.op != OpType::kConv2d) return false;
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Shape& weights = graph.value(node.inputs[1]).shape;
  return weights.dim(1) == 1 && weights.dim(2) == 1 && attr.stride_h == 1 && attr.stride_w == 1 &&
         graph.value(node.inputs[0]).shape.dim(1) == graph.value(node.outputs[0]).shape.dim(1) &&
         graph.value(node.inputs[0]).shape.dim(2) == graph.value(node.outputs[0]).shape.dim(2);
}

std::string count(int64_t number, const char* what) { return std::to_string(number) + " " + what; }

std::optional<std::string> obstacle_in_depthwise(const Graph& graph, const Node& node) {
  const auto& attr = std::get<DepthwiseConv2dAttr>(node.attributes);
  const Shape& weights = graph.value(node.inputs[1]).shape;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) continue;
    if (i > 0 && !graph.is_constant(node.inputs[i])) return "the depthwise weights are not constant";
    if (graph.value(node.inputs[i]).type != DataType::kFloat32) return "the depthwise convolution is quantized";
  }
  if (attr.multiplier != 1) return "the depthwise convolution has several outputs per channel";
  if (weights.dim(1) != 3 || weights.dim(2) != 3) return "the depthwise kernel is not 3x3";
  if (attr.stride_h > 2) return "the depthwise convolution has a stride of " + std::to_string(attr.stride_h);
  if (attr.stride_h == 2 && attr.dilation_h > 1) return "the depthwise convolution has a stride and a dilation";
  switch (node.activation) {
    case Activation::kNone:
    case Activation::kRelu:
    case Activation::kRelu6:
    case Activation::kReluN1To1:
      return std::nullopt;
    default:
      return std::string("the depthwise convolution has the activation ") + to_string(node.activation);
  }
}

std::optional<std::string> obstacle_in_sizes(const Shape& data, const Shape& out) {
  if (out.dim(3) > kMostOutputs) return count(out.dim(3), "output channels are more than an invocation holds");
  if (data.dim(3) > kMostChannels) return count(data.dim(3), "channels are too many for an invocation");
  const int64_t pixels = int64_t{out.dim(0)} * out.dim(1) * out.dim(2);
  if (pixels < kFewestPixels) return count(pixels, "pixels give too few invocations");
  return std::nullopt;
}

}  // namespace

RewriteOutcome fuse_depthwise(Graph& graph, NodeId id) {
  const Node& conv = graph.node(id);
  if (!is_pointwise(graph, conv)) return RewriteOutcome::not_matched();
  const ValueId between = conv.inputs[0];
  const NodeId producer = graph.value(between).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kDepthwiseConv2d) return RewriteOutcome::not_matched();
  const Node& depthwise = graph.node(producer);
  if (const auto obstacle = rewriting::obstacle_to_more_operands(graph, id)) return RewriteOutcome::declined(*obstacle);
  if (gate_of(conv) != kNone) return RewriteOutcome::declined("its data have a gate");
  if (const auto obstacle = obstacle_in_depthwise(graph, depthwise)) return RewriteOutcome::declined(*obstacle);
  if (!rewriting::read_once(graph, between)) {
    return RewriteOutcome::declined(quote(graph.value(between).name) + " is read by others or an output");
  }
  const Shape& out = graph.value(conv.outputs[0]).shape;
  if (const auto obstacle = obstacle_in_sizes(graph.value(depthwise.inputs[0]).shape, out)) {
    return RewriteOutcome::declined(*obstacle);
  }
  Node fused = conv;
  fused.op = OpType::kDepthwisePointwise;
  fused.attributes = DepthwisePointwiseAttr{std::get<DepthwiseConv2dAttr>(depthwise.attributes), depthwise.activation};
  fused.inputs.resize(kDepthwiseBias + 1, kNone);
  fused.inputs[0] = depthwise.inputs[0];
  fused.inputs[kDepthwiseWeights] = depthwise.inputs[1];
  fused.inputs[kDepthwiseBias] = depthwise.inputs.size() > 2 ? depthwise.inputs[2] : kNone;
  const std::string origin = depthwise.origin + " + " + conv.origin;
  const ValueId made = conv.outputs[0];
  rewriting::replace_node(graph, id, std::move(fused));
  graph.node(graph.value(made).producer).origin = origin;
  graph.remove_node(producer);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

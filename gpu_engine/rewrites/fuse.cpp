#include <algorithm>
#include <array>

#include "graph/quantized.h"
#include "rewrites/rewrites.h"

namespace sightglass {
// Moves the activation of an activation-only node into its producer.

namespace {

// The slopes of a PRELU, one per channel, as a constant of that size.
std::optional<ValueId> slope_constant(Graph& graph, const Node& prelu) {
  const ValueId id = prelu.inputs[1];
  const int32_t channels = rewriting::channels_of(graph.value(prelu.outputs[0]).shape);
  const std::optional<std::vector<float>> slopes = rewriting::per_channel(graph, id, channels);
  if (!slopes) return std::nullopt;
  if (graph.value(id).shape.elements() == channels) return id;
  return graph.add_constant(graph.value(id).name, Shape{channels}, *slopes);
}

}  // namespace

RewriteOutcome fuse_activation(Graph& graph, NodeId id) {
  const Activation activation = activation_of(graph.node(id).op);
  if (activation == Activation::kNone) return RewriteOutcome::not_matched();
  if (graph.node(id).activation != Activation::kNone) {
    return RewriteOutcome::declined(std::string("it has the activation ") + to_string(graph.node(id).activation));
  }
  const ValueId in = graph.node(id).inputs[0];
  if (const auto obstacle = rewriting::obstacle_to_activating(graph, in, activation, 1)) {
    return RewriteOutcome::declined(*obstacle);
  }
  if (activation == Activation::kPrelu) {
    const std::optional<ValueId> slope = slope_constant(graph, graph.node(id));
    if (!slope) return RewriteOutcome::declined("the slope is not a constant with one number per channel");
    const NodeId producer = graph.value(in).producer;
    constexpr size_t kSlope = 3;
    while (graph.node(producer).inputs.size() <= kSlope) graph.append_input(producer, kNone);
    graph.set_input(producer, kSlope, *slope);
  }
  rewriting::activate_producer(graph, in, activation, graph.node(id).outputs[0]);
  return RewriteOutcome::applied();
}

// Merges a depthwise convolution and the 1×1 convolution that reads it into one node. The residual of the first one
// becomes the addend of the second one.

namespace {

// Larger ones are two steps on every device, unless they have few outputs.
constexpr int32_t kFewOutputs = 16, kMostOutputs = 32, kManyOutputs = 192;
constexpr int32_t kMostChannels = 256;
constexpr int64_t kModerateImage = 1024, kSmallImage = 3000;

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
    if (node.inputs[i] == kNone || i == kResidualInput) continue;
    if (i > 0 && !graph.is_constant(node.inputs[i])) return "the depthwise weights are not constant";
    if (graph.value(node.inputs[i]).type != DataType::kFloat32) return "the depthwise convolution is quantized";
  }
  if (attr.multiplier != 1) return "the depthwise convolution has several outputs per channel";
  const bool square = weights.dim(1) == weights.dim(2) && (weights.dim(1) == 3 || weights.dim(1) == 5);
  if (!square) return "the depthwise kernel is not 3x3 or 5x5";
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

std::optional<std::string> obstacle_to_both(const Graph& graph, const Node& depthwise, const Node& conv) {
  const ValueId residual = residual_of(depthwise);
  if (gate_of(conv) != kNone) return "its data have a gate";
  if (addend_of(conv) != kNone && residual_of(conv) != kNone) return "it has an addend and a residual";
  if (residual == kNone) return std::nullopt;
  if (residual_of(conv) != kNone || addend_of(conv) != kNone) return "both convolutions add a tensor";
  if (depthwise.activation != Activation::kNone && !depthwise.residual_last) {
    return "the depthwise convolution adds a tensor before its activation";
  }
  if (graph.value(residual).shape != graph.value(depthwise.outputs[0]).shape) {
    return "the depthwise convolution adds a tensor of another shape";
  }
  return std::nullopt;
}

// Plans decide whether the pair is one step (ops/depthwise.cpp): here, whether it is one on any device.
std::optional<std::string> obstacle_in_sizes(int32_t kernel, const Shape& data, const Shape& out) {
  if (int64_t{out.dim(1)} * out.dim(2) <= kModerateImage && out.dim(3) <= kManyOutputs) return std::nullopt;
  if (out.dim(3) > kMostOutputs) return count(out.dim(3), "output channels are more than an invocation holds");
  if (kernel != 3) return "the image is large, and the depthwise kernel not 3x3";
  if (out.dim(3) > kFewOutputs && data.dim(3) > out.dim(3)) {
    return count(data.dim(3), "channels for ") + count(out.dim(3), "outputs are faster in two steps");
  }
  if (data.dim(3) > kMostChannels) return count(data.dim(3), "channels are too many for an invocation");
  const int64_t pixels = int64_t{out.dim(0)} * out.dim(1) * out.dim(2);
  if (out.dim(3) > kFewOutputs && pixels > kSmallImage) {
    return count(pixels, "pixels with ") + count(out.dim(3), "outputs are faster in two steps");
  }
  return std::nullopt;
}

// Replaces the depthwise convolution `first` and the node `second`, which is or becomes `conv`, by one node.
void replace_pair(Graph& graph, NodeId first, NodeId second, Node conv, bool spread) {
  const Node& depthwise = graph.node(first);
  conv.op = OpType::kDepthwisePointwise;
  conv.attributes =
      DepthwisePointwiseAttr{std::get<DepthwiseConv2dAttr>(depthwise.attributes), depthwise.activation, spread};
  conv.inputs.resize(kDepthwiseBias + 1, kNone);
  conv.inputs[0] = depthwise.inputs[0];
  if (residual_of(depthwise) != kNone) conv.inputs[kAddendInput] = residual_of(depthwise);
  conv.inputs[kDepthwiseWeights] = depthwise.inputs[1];
  conv.inputs[kDepthwiseBias] = depthwise.inputs.size() > 2 ? depthwise.inputs[2] : kNone;
  const std::string origin = depthwise.origin + " + " + conv.origin;
  const ValueId made = conv.outputs[0];
  rewriting::replace_node(graph, second, std::move(conv));
  graph.node(graph.value(made).producer).origin = origin;
  graph.remove_node(first);
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
  if (const auto obstacle = obstacle_to_both(graph, depthwise, conv)) return RewriteOutcome::declined(*obstacle);
  if (const auto obstacle = obstacle_in_depthwise(graph, depthwise)) return RewriteOutcome::declined(*obstacle);
  if (!rewriting::read_once(graph, between)) {
    return RewriteOutcome::declined(quote(graph.value(between).name) + " is read by others or an output");
  }
  const Shape& out = graph.value(conv.outputs[0]).shape;
  const int32_t kernel = graph.value(depthwise.inputs[1]).shape.dim(1);
  if (const auto obstacle = obstacle_in_sizes(kernel, graph.value(depthwise.inputs[0]).shape, out)) {
    return RewriteOutcome::declined(*obstacle);
  }
  replace_pair(graph, producer, id, Node(conv), false);
  return RewriteOutcome::applied();
}

// Merges a depthwise convolution and the TRANSPOSE_CONV of 2×2 taps and one output channel that reads it: a 1×1
// convolution with four outputs, which become the 2×2 pixels.
RewriteOutcome fuse_spread(Graph& graph, NodeId id) {
  const Node& conv = graph.node(id);
  if (conv.op != OpType::kTransposeConv) return RewriteOutcome::not_matched();
  const NodeId producer = graph.value(conv.inputs[0]).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kDepthwiseConv2d) return RewriteOutcome::not_matched();
  const Node& depthwise = graph.node(producer);
  const Shape &weights = graph.value(conv.inputs[1]).shape, &between = graph.value(conv.inputs[0]).shape;
  const auto& attr = std::get<TransposeConvAttr>(conv.attributes);
  const bool of_blocks = weights.dim(0) == 1 && weights.dim(1) == 2 && weights.dim(2) == 2 && attr.stride_h == 2 &&
                         attr.stride_w == 2 && attr.padding.top == 0 && attr.padding.left == 0 &&
                         attr.out_h == 2 * between.dim(1) && attr.out_w == 2 * between.dim(2);
  if (!of_blocks) return RewriteOutcome::declined("it does not make blocks of 2x2 pixels of one channel");
  if (conv.activation == Activation::kPrelu) return RewriteOutcome::declined("it has a PRELU");
  if (const auto obstacle = rewriting::obstacle_to_more_operands(graph, id)) return RewriteOutcome::declined(*obstacle);
  if (const auto obstacle = obstacle_to_both(graph, depthwise, conv)) return RewriteOutcome::declined(*obstacle);
  if (const auto obstacle = obstacle_in_depthwise(graph, depthwise)) return RewriteOutcome::declined(*obstacle);
  const Shape& taps = graph.value(depthwise.inputs[1]).shape;
  if (taps.dim(1) != 3 || taps.dim(3) > kMostChannels) return RewriteOutcome::declined("two steps are faster");
  if (!rewriting::read_once(graph, conv.inputs[0])) {
    return RewriteOutcome::declined(quote(graph.value(conv.inputs[0]).name) + " is read by others or an output");
  }
  Node four = conv;
  four.op = OpType::kConv2d;
  four.inputs.resize(kDepthwiseBias + 1, kNone);
  // [1, 2, 2, channels] becomes [4, 1, 1, channels].
  four.inputs[1] = graph.add_constant(graph.value(conv.inputs[1]).name + "/spread", {4, 1, 1, weights.dim(3)},
                                      graph.floats(conv.inputs[1]));
  if (four.inputs[2] != kNone) {
    const std::vector<float> bias(4, graph.floats(four.inputs[2]).front());
    four.inputs[2] = graph.add_constant(graph.value(conv.inputs[2]).name + "/spread", {4}, bias);
  }
  replace_pair(graph, producer, id, std::move(four), true);
  return RewriteOutcome::applied();
}

// Merges two 1×1 convolutions of one pixel, as in squeeze-and-excite blocks, and the mean over the image before them.

namespace {

// One work group does all of it: more would take longer than steps of many groups.
constexpr int32_t kMostSqueezed = 1024;
constexpr int64_t kMostWeights = 131'072, kMostPooled = 65'536;

bool is_of_one_pixel(const Graph& graph, const Node& node) {
  return rewriting::is_pointwise_conv(graph, node) &&
         graph.value(node.outputs[0]).shape == one_pixel(graph.value(node.outputs[0]).shape) &&
         !has_more_operands(node);
}

// The MEAN over rows and columns that makes `value` from an image that one work group can add up.
std::optional<NodeId> mean_before(const Graph& graph, ValueId value) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kMean || !rewriting::read_once(graph, value)) return {};
  const Node& mean = graph.node(producer);
  const Shape& in = graph.value(mean.inputs[0]).shape;
  const bool of_image = in.rank() == 4 && std::get<ReduceAttr>(mean.attributes).axes == std::vector<int32_t>{1, 2};
  if (!of_image || mean.activation != Activation::kNone) return {};
  return int64_t{in.dim(1)} * in.dim(2) * ((in.dim(3) + 3) / 4 * 4) <= kMostPooled ? std::optional(producer)
                                                                                   : std::nullopt;
}

}  // namespace

RewriteOutcome fuse_excitation(Graph& graph, NodeId id) {
  const Node& second = graph.node(id);
  if (second.op != OpType::kConv2d || !is_of_one_pixel(graph, second)) return RewriteOutcome::not_matched();
  const ValueId between = second.inputs[0];
  const NodeId before = graph.value(between).producer;
  if (before == kNone || !is_of_one_pixel(graph, graph.node(before))) return RewriteOutcome::not_matched();
  const Node& first = graph.node(before);
  for (const NodeId conv : {before, id}) {
    if (const auto obstacle = rewriting::obstacle_to_more_operands(graph, conv)) {
      return RewriteOutcome::declined(*obstacle);
    }
  }
  if (!rewriting::read_once(graph, between)) {
    return RewriteOutcome::declined(quote(graph.value(between).name) + " is read by others or an output");
  }
  if (first.activation == Activation::kPrelu) {
    return RewriteOutcome::declined(describe(graph, before) + " has the activation prelu");
  }
  const Shape &squeeze = graph.value(first.inputs[1]).shape, &excite = graph.value(second.inputs[1]).shape;
  if (squeeze.elements() + excite.elements() > kMostWeights) {
    return RewriteOutcome::declined(
        count(squeeze.elements() + excite.elements(), "weights are too many for one group"));
  }
  const int32_t most = std::max({squeeze.dim(3), squeeze.dim(0), excite.dim(0)});
  if (most > kMostSqueezed) return RewriteOutcome::declined(count(most, "channels are too many for one group"));
  const std::optional<NodeId> mean = mean_before(graph, first.inputs[0]);
  Node fused = second;
  fused.op = OpType::kSqueezeExcite;
  fused.attributes = SqueezeExciteAttr{first.activation};
  fused.inputs.resize(kSqueezeBias + 1, kNone);
  fused.inputs[0] = mean ? graph.node(*mean).inputs[0] : first.inputs[0];
  fused.inputs[kAddendInput] = mean ? addend_of(graph.node(*mean)) : kNone;
  fused.inputs[kSqueezeWeights] = first.inputs[1];
  fused.inputs[kSqueezeBias] = first.inputs.size() > 2 ? first.inputs[2] : kNone;
  const std::string origin = (mean ? graph.node(*mean).origin + " + " : "") + first.origin + " + " + second.origin;
  const ValueId made = second.outputs[0];
  rewriting::replace_node(graph, id, std::move(fused));
  graph.node(graph.value(made).producer).origin = origin;
  graph.remove_node(before);
  if (mean) graph.remove_node(*mean);
  return RewriteOutcome::applied();
}

// Merges a mean over the image and the 1×1 convolution of its one pixel.
RewriteOutcome fuse_mean(Graph& graph, NodeId id) {
  const Node& conv = graph.node(id);
  if (conv.op != OpType::kConv2d || !is_of_one_pixel(graph, conv)) return RewriteOutcome::not_matched();
  const NodeId producer = graph.value(conv.inputs[0]).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kMean) return RewriteOutcome::not_matched();
  if (const auto obstacle = rewriting::obstacle_to_more_operands(graph, id)) return RewriteOutcome::declined(*obstacle);
  const Shape& weights = graph.value(conv.inputs[1]).shape;
  const int32_t most = std::max(weights.dim(0), weights.dim(3));
  if (weights.elements() > kMostWeights) {
    return RewriteOutcome::declined(count(weights.elements(), "weights are too many for one group"));
  }
  if (most > kMostSqueezed) return RewriteOutcome::declined(count(most, "channels are too many for one group"));
  const std::optional<NodeId> mean = mean_before(graph, conv.inputs[0]);
  if (!mean) return RewriteOutcome::declined("the mean is too large for one group, or cannot move");
  Node fused = conv;
  fused.op = OpType::kSqueezeExcite;
  fused.attributes = SqueezeExciteAttr{};
  fused.inputs.resize(kAddendInput + 1, kNone);
  fused.inputs[0] = graph.node(*mean).inputs[0];
  fused.inputs[kAddendInput] = addend_of(graph.node(*mean));
  const std::string origin = graph.node(*mean).origin + " + " + conv.origin;
  const ValueId made = conv.outputs[0];
  rewriting::replace_node(graph, id, std::move(fused));
  graph.node(graph.value(made).producer).origin = origin;
  graph.remove_node(*mean);
  return RewriteOutcome::applied();
}

// Moves a multiplication by one value per channel, as in squeeze-and-excite blocks, into the convolution that reads it.

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
  if (graph.node(id).residual_sampling != ResidualSampling::kNone) {
    return RewriteOutcome::declined("it samples the tensor that it adds");
  }
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

// Moves an addition to the output of a convolution into the convolution.

namespace {

// The same for integers of 8 bits: it rounds its sums first, as the addition expects them.
std::optional<std::string> obstacle_in_integers(const Graph& graph, const Node& add, size_t summand) {
  const Value &sums = graph.value(add.inputs[summand]), &other = graph.value(add.inputs[1 - summand]);
  const Node& conv = graph.node(sums.producer);
  if (!rewriting::sums_into_integers(graph, sums.producer)) return "it does not sum integers of 8 bits";
  if (conv.op == OpType::kConv2d &&
      graph.value(conv.inputs[1]).shape.dim(3) != graph.value(conv.inputs[0]).shape.dim(3)) {
    return "its channels are in groups";
  }
  if (other.shape != sums.shape) return "the shapes differ";
  if (!is_clamp(add.activation)) return std::string("the addition has the activation ") + to_string(add.activation);
  if (graph.value(add.outputs[0]).type != sums.type || !nearest_sum(graph, add)) {
    return "the sums of the quantized tensors have no form for the kernel";
  }
  return std::nullopt;
}

// The reason why the convolution that computes input `summand` of the addition cannot add the other input.
std::optional<std::string> obstacle_to_adding(const Graph& graph, const Node& add, size_t summand) {
  const ValueId made = add.inputs[summand];
  const NodeId conv = graph.value(made).producer;
  const Node& node = graph.node(conv);
  const Shape &sums = graph.value(made).shape, &other = graph.value(add.inputs[1 - summand]).shape;
  if (other != sums && other != one_pixel(sums)) return "the shapes differ";
  if (node.activation != Activation::kNone && add.activation != Activation::kNone) {
    return describe(graph, conv) + " has the activation " + to_string(node.activation) + ", and the addition another";
  }
  if (residual_of(node) != kNone || addend_of(node) != kNone) return describe(graph, conv) + " adds a tensor already";
  if (!rewriting::read_once(graph, made)) return quote(graph.value(made).name) + " is read by others or an output";
  if (is_quantized(graph.value(made))) return obstacle_in_integers(graph, add, summand);
  return rewriting::obstacle_to_more_operands(graph, conv);
}

bool is_conv(const Graph& graph, ValueId value) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNone) return false;
  const OpType op = graph.node(producer).op;
  return op == OpType::kConv2d || op == OpType::kDepthwiseConv2d || op == OpType::kDepthwisePointwise;
}

// The summands in the order of preference: sums of convolutions first, then of depthwise ones, which others may merge
// with, then results of activations.
std::array<size_t, 2> summands(const Graph& graph, const Node& add) {
  const auto rank = [&](size_t summand) {
    if (!is_conv(graph, add.inputs[summand])) return 3;
    const Node& node = graph.node(graph.value(add.inputs[summand]).producer);
    if (node.activation != Activation::kNone) return 2;
    return node.op == OpType::kDepthwiseConv2d ? 1 : 0;
  };
  return rank(0) < rank(1) ? std::array<size_t, 2>{0, 1} : std::array<size_t, 2>{1, 0};
}

}  // namespace

// The convolution moves to the position of the addition, where the other input exists. It adds the tensor before its
// activation, which is that of the addition, or after its own.
RewriteOutcome fuse_residual(Graph& graph, NodeId id) {
  const Node& add = graph.node(id);
  if (add.op != OpType::kAdd || add.inputs[0] == add.inputs[1]) return RewriteOutcome::not_matched();
  if (graph.is_constant(add.inputs[0]) || graph.is_constant(add.inputs[1])) return RewriteOutcome::not_matched();
  std::string reason;
  for (const size_t summand : summands(graph, add)) {
    if (!is_conv(graph, add.inputs[summand])) continue;
    if (const auto obstacle = obstacle_to_adding(graph, add, summand)) {
      reason = *obstacle;
      continue;
    }
    const NodeId conv = graph.value(add.inputs[summand]).producer;
    Node fused = graph.node(conv);
    if (fused.inputs.size() <= kResidualInput) fused.inputs.resize(kResidualInput + 1, kNone);
    fused.inputs[kResidualInput] = add.inputs[1 - summand];
    if (is_quantized(graph.value(add.inputs[summand]))) {
      fused.summand = rewriting::unlinked(graph, add.inputs[summand]);
      if (!fused.rounded) fused.rounded = fused.summand;
    }
    if (fused.activation == Activation::kNone) {
      fused.activation = add.activation;
    } else {
      fused.residual_last = true;
    }
    const ValueId sum = add.outputs[0];
    const std::string origin = fused.origin + " + " + add.origin;
    rewriting::replace_node(graph, id, std::move(fused));
    graph.node(graph.value(sum).producer).origin = origin;
    graph.remove_node(conv);
    return RewriteOutcome::applied();
  }
  return reason.empty() ? RewriteOutcome::not_matched() : RewriteOutcome::declined(reason);
}

// Adds a tensor to the first channels of a convolution instead of the tensor padded with zero channels.
RewriteOutcome fold_residual_padding(Graph& graph, NodeId id) {
  const ValueId residual = residual_of(graph.node(id));
  const NodeId producer = residual == kNone ? kNone : graph.value(residual).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kPad) return RewriteOutcome::not_matched();
  const Node& pad = graph.node(producer);
  const auto& attr = std::get<PadAttr>(pad.attributes);
  if (attr.value != 0.0f || pad.activation != Activation::kNone) {
    return RewriteOutcome::declined("it pads with a value other than 0");
  }
  const ValueId data = pad.inputs[0];
  const bool in_front = std::ranges::any_of(attr.before, [](int32_t before) { return before != 0; });
  if (in_front || !is_of_first_channels(graph.value(data).shape, graph.value(graph.node(id).outputs[0]).shape)) {
    return RewriteOutcome::declined("it pads other than after the channels");
  }
  if (!same_quantization(graph.value(data), graph.value(residual).quantization)) {
    return RewriteOutcome::declined("it changes the quantization");
  }
  graph.set_input(id, kResidualInput, data);
  if (graph.value(residual).users.empty() && !graph.is_output(residual)) graph.remove_node(producer);
  return RewriteOutcome::applied();
}

// Takes the maximum of 2×2 pixels while a convolution loads what it adds: it loads each element once.

namespace {

// The reason why the convolution cannot sample its residual.
std::optional<std::string> obstacle_to_sampling(const Graph& graph, const Node& node) {
  if (node.residual_sampling != ResidualSampling::kNone) return "it samples the tensor that it adds already";
  if (node.op == OpType::kDepthwisePointwise) return std::nullopt;
  if (!rewriting::is_pointwise_conv(graph, node)) return "its kernel is not 1x1";
  if (gate_of(node) != kNone) return "its data have a gate";
  return std::nullopt;
}

// The convolution adds what the producer of its residual reads, sampled.
RewriteOutcome sample_residual(Graph& graph, NodeId id, ResidualSampling sampling) {
  const ValueId residual = residual_of(graph.node(id));
  if (!rewriting::read_once(graph, residual)) {
    return RewriteOutcome::declined(quote(graph.value(residual).name) + " is read by others or an output");
  }
  const NodeId producer = graph.value(residual).producer;
  graph.node(id).origin = graph.node(producer).origin + " + " + graph.node(id).origin;
  graph.set_input(id, kResidualInput, graph.node(producer).inputs[0]);
  graph.node(id).residual_sampling = sampling;
  graph.remove_node(producer);
  return RewriteOutcome::applied();
}

}  // namespace

RewriteOutcome fold_residual_pool(Graph& graph, NodeId id) {
  const ValueId residual = residual_of(graph.node(id));
  const NodeId producer = residual == kNone ? kNone : graph.value(residual).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kMaxPool2d) return RewriteOutcome::not_matched();
  if (const auto obstacle = obstacle_to_sampling(graph, graph.node(id))) return RewriteOutcome::declined(*obstacle);
  if (graph.node(id).residual_last) return RewriteOutcome::declined("it adds the maximum after its activation");
  const Node& pool = graph.node(producer);
  const auto& attr = std::get<Pool2dAttr>(pool.attributes);
  const bool of_four = attr.filter_h == 2 && attr.filter_w == 2 && attr.stride_h == 2 && attr.stride_w == 2;
  const Shape &data = graph.value(pool.inputs[0]).shape, &out = graph.value(graph.node(id).outputs[0]).shape;
  if (!of_four || attr.padding.top != 0 || attr.padding.left != 0 || pool.activation != Activation::kNone ||
      !is_sampled_for(ResidualSampling::kPooled, data, out)) {
    return RewriteOutcome::declined("it is not the maximum of 2x2 pixels");
  }
  if (!same_quantization(graph.value(pool.inputs[0]), graph.value(residual).quantization)) {
    return RewriteOutcome::declined("it changes the quantization");
  }
  return sample_residual(graph, id, ResidualSampling::kPooled);
}

// Interpolates what a convolution adds while the convolution loads it, also once for each element.
RewriteOutcome fold_residual_resize(Graph& graph, NodeId id) {
  const ValueId residual = residual_of(graph.node(id));
  const NodeId producer = residual == kNone ? kNone : graph.value(residual).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kResizeBilinear) return RewriteOutcome::not_matched();
  if (const auto obstacle = obstacle_to_sampling(graph, graph.node(id))) return RewriteOutcome::declined(*obstacle);
  const Node& resize = graph.node(producer);
  const auto& attr = std::get<ResizeAttr>(resize.attributes);
  const Shape &data = graph.value(resize.inputs[0]).shape, &out = graph.value(graph.node(id).outputs[0]).shape;
  if (!attr.half_pixel_centers || attr.align_corners) return RewriteOutcome::declined("its pixels have no centers");
  if (resize.activation != Activation::kNone || !is_sampled_for(ResidualSampling::kResized, data, out) ||
      graph.value(residual).shape.dim(1) != out.dim(1) || graph.value(residual).shape.dim(2) != out.dim(2)) {
    return RewriteOutcome::declined("it does not only enlarge the tensor to the size of the output");
  }
  return sample_residual(graph, id, ResidualSampling::kResized);
}

// Moves an addition into its only reader: a 1×1 convolution or a mean over the image, which reads both tensors.

namespace {

// Each invocation of a convolution adds the data of its pixels again, for a group of output channels.
constexpr int32_t kMostReaders = 32;

bool is_mean_of_image(const Graph& graph, const Node& node) {
  return node.op == OpType::kMean && graph.value(node.inputs[0]).shape.rank() == 4 &&
         std::get<ReduceAttr>(node.attributes).axes == std::vector<int32_t>{1, 2};
}

// The reason why the node cannot read the two inputs of the addition.
std::optional<std::string> obstacle_to_addend(const Graph& graph, NodeId id, const Node& add) {
  const Node& node = graph.node(id);
  const ValueId sum = add.outputs[0];
  for (const ValueId summand : add.inputs) {
    if (graph.value(summand).shape != graph.value(sum).shape) return "the shapes differ";
  }
  if (add.activation != Activation::kNone) {
    return std::string("the addition has the activation ") + to_string(add.activation);
  }
  if (!rewriting::read_once(graph, sum)) return quote(graph.value(sum).name) + " is read by others or an output";
  if (addend_of(node) != kNone) return "it has an addend already";
  if (node.op != OpType::kConv2d) return std::nullopt;
  if (gate_of(node) != kNone) return "its gate comes after the addition";
  if (residual_of(node) != kNone) return "it adds a tensor to its sums";
  const int32_t channels = graph.value(node.outputs[0]).shape.dim(3);
  if (channels > kMostReaders) return count(channels, "output channels would repeat the addition too often");
  return rewriting::obstacle_to_more_operands(graph, id);
}

// Index of the summand that stays the data of the convolution: a product, whose gate may move there as well.
size_t data_of_sum(const Graph& graph, const Node& add) {
  const NodeId second = graph.value(add.inputs[1]).producer;
  return second != kNone && graph.node(second).op == OpType::kMul && rewriting::read_once(graph, add.inputs[1]) ? 1 : 0;
}

// Whether fuse-residual will move the addition into the convolution before it, which adds only once.
bool is_residual(const Graph& graph, const Node& add) {
  return add.inputs[0] != add.inputs[1] && std::ranges::any_of(summands(graph, add), [&](size_t summand) {
           return is_conv(graph, add.inputs[summand]) && !obstacle_to_adding(graph, add, summand);
         });
}

}  // namespace

RewriteOutcome fuse_addend(Graph& graph, NodeId id) {
  const bool conv = rewriting::is_pointwise_conv(graph, graph.node(id));
  if (!conv && !is_mean_of_image(graph, graph.node(id))) return RewriteOutcome::not_matched();
  const NodeId producer = graph.value(graph.node(id).inputs[0]).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kAdd) return RewriteOutcome::not_matched();
  const Node& add = graph.node(producer);
  if (graph.is_constant(add.inputs[0]) || graph.is_constant(add.inputs[1])) return RewriteOutcome::not_matched();
  if (is_residual(graph, add)) return RewriteOutcome::not_matched();
  if (const auto obstacle = obstacle_to_addend(graph, id, add)) return RewriteOutcome::declined(*obstacle);
  const size_t data = data_of_sum(graph, add), input = conv ? kAddendInput : kMeanAddend;
  const ValueId kept = add.inputs[data], addend = add.inputs[1 - data];
  while (graph.node(id).inputs.size() <= input) graph.append_input(id, kNone);
  graph.set_input(id, input, addend);
  graph.set_input(id, 0, kept);
  graph.node(id).origin = add.origin + " + " + graph.node(id).origin;
  graph.remove_node(producer);
  return RewriteOutcome::applied();
}

}  // namespace sightglass

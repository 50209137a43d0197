#include <algorithm>
#include <cmath>

#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "ref/ref_ops.h"
#include "rewrites/rewrites.h"

namespace sightglass {

RewriteOutcome fold_constants(Graph& graph, NodeId id) {
  bool folded = false;
  const Status status = fold_if_constant(graph, id, &folded);
  if (!status.ok()) return RewriteOutcome::declined(status.message());
  return folded ? RewriteOutcome::applied() : RewriteOutcome::not_matched();
}

// Moves a PAD of rows and columns into the padding of its reader.

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
  if (node.residual_last || node.rounded) return false;
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

int32_t elements_of_image(const Shape& shape) { return static_cast<int32_t>(shape.elements() / shape.dim(0)); }

// The DYNAMIC_QUANTIZE of whole images that only this node reads, if any.
NodeId dynamic_quantize_before(const Graph& graph, NodeId id) {
  const ValueId data = graph.node(id).inputs[0];
  const NodeId producer = graph.value(data).producer;
  if (producer == kNone || !rewriting::read_once(graph, data)) return kNone;
  const auto* attr = std::get_if<DynamicQuantizeAttr>(&graph.node(producer).attributes);
  return attr != nullptr && attr->group == elements_of_image(graph.value(data).shape) ? producer : kNone;
}

}  // namespace

RewriteOutcome fold_padding(Graph& graph, NodeId id) {
  const OpType op = graph.node(id).op;
  if (op != OpType::kConv2d && op != OpType::kDepthwiseConv2d && op != OpType::kMaxPool2d &&
      op != OpType::kAveragePool2d) {
    return RewriteOutcome::not_matched();
  }
  // Data quantized at run time have the same quantization without the zeros, which are in every range.
  const NodeId quantize = dynamic_quantize_before(graph, id);
  const ValueId padded = graph.node(quantize == kNone ? id : quantize).inputs[0];
  const NodeId pad_id = graph.value(padded).producer;
  if (pad_id == kNone || graph.node(pad_id).op != OpType::kPad) return RewriteOutcome::not_matched();
  const Node& pad = graph.node(pad_id);
  const auto& attr = std::get<PadAttr>(pad.attributes);
  if (op == OpType::kAveragePool2d) {
    return RewriteOutcome::declined("an average counts the zeros of a PAD, but not its own padding");
  }
  if (attr.value != 0.0f) return RewriteOutcome::declined("it pads with a value other than 0");
  if (pad.activation != Activation::kNone) return RewriteOutcome::declined("the PAD has an activation");
  const Value &image = graph.value(pad.inputs[0]), &result = graph.value(padded);
  if (is_quantized(image) && (scale_of(image) != scale_of(result) || zero_point(image) != zero_point(result))) {
    return RewriteOutcome::declined("the PAD changes the quantization");
  }
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
  const ValueId picture = merged.inputs[0];
  graph.set_input(quantize == kNone ? id : quantize, 0, picture);
  if (quantize != kNone) {
    const Shape shape = graph.value(picture).shape;
    graph.value(graph.node(id).inputs[0]).shape = shape;
    std::get<DynamicQuantizeAttr>(graph.node(quantize).attributes).group = elements_of_image(shape);
  }
  graph.node(id).attributes = merged.attributes;
  if (graph.value(padded).users.empty() && !graph.is_output(padded)) graph.remove_node(pad_id);
  return RewriteOutcome::applied();
}

// Quantizes a tensor once at run time, where padding was between it and several readers.
RewriteOutcome merge_quantizations(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const auto* attr = std::get_if<DynamicQuantizeAttr>(&node.attributes);
  if (attr == nullptr || graph.is_output(node.outputs[0])) return RewriteOutcome::not_matched();
  for (const NodeId other : graph.order()) {
    if (other == id) break;
    const auto* same = std::get_if<DynamicQuantizeAttr>(&graph.node(other).attributes);
    if (same == nullptr || !(*same == *attr) || graph.node(other).inputs[0] != node.inputs[0]) continue;
    graph.replace_uses(node.outputs[0], graph.node(other).outputs[0]);
    graph.remove_node(id);
    return RewriteOutcome::applied();
  }
  return RewriteOutcome::not_matched();
}

// Folds multiplications and additions of constants into the weights and bias of a neighboring node.

namespace {

constexpr size_t kWeights = 1, kBias = 2;

// y = scale * x + offset, per channel of x: the function of an arithmetic node with a constant.
struct Affine {
  size_t data = 0;  // index of the input x
  std::vector<float> scale, offset;

  bool only_scales() const {
    return std::ranges::all_of(offset, [](float value) { return value == 0.0f; });
  }
};

bool is_arithmetic(OpType op) { return op == OpType::kMul || op == OpType::kAdd || op == OpType::kSub; }

// Index of the non-constant input of the arithmetic node, if the other one is constant.
std::optional<size_t> data_input(const Graph& graph, const Node& node) {
  if (!is_arithmetic(node.op) || graph.is_constant(node.inputs[0]) == graph.is_constant(node.inputs[1])) {
    return std::nullopt;
  }
  return graph.is_constant(node.inputs[0]) ? 1 : 0;
}

// The node as an affine function; empty if its constant is not one value per channel, or is not finite.
std::optional<Affine> affine_of(const Graph& graph, const Node& node, size_t data) {
  const Shape& shape = graph.value(node.inputs[data]).shape;
  if (shape != graph.value(node.outputs[0]).shape) return std::nullopt;
  const int32_t channels = rewriting::channels_of(shape);
  const auto constant = rewriting::per_channel(graph, node.inputs[1 - data], channels);
  if (!constant || !std::ranges::all_of(*constant, [](float value) { return std::isfinite(value); })) {
    return std::nullopt;
  }
  Affine affine{data, std::vector<float>(constant->size(), 1.0f), std::vector<float>(constant->size(), 0.0f)};
  if (node.op == OpType::kMul) {
    affine.scale = *constant;
  } else {
    affine.offset = *constant;
  }
  if (node.op == OpType::kSub)
    std::ranges::for_each(data == 0 ? affine.offset : affine.scale, [](float& v) { v = -v; });
  return affine;
}

// Weights and bias as floats, with the channels of each weight.
class Weights {
 public:
  Weights(const Graph& graph, const Node& node) : node_(node), shape_(graph.value(node.inputs[kWeights]).shape) {
    values_ = graph.floats(node.inputs[kWeights]);
    outputs_ = shape_.dim(node.op == OpType::kDepthwiseConv2d ? 3 : 0);
    bias_.assign(static_cast<size_t>(outputs_), 0.0);
    has_bias_ = node.inputs.size() > kBias && node.inputs[kBias] != kNone;
    if (has_bias_) std::ranges::copy(graph.floats(node.inputs[kBias]), bias_.begin());
  }

  // The output channel, then the input channel of a weight; `channels` are those of the data of the node.
  size_t output_of(size_t i) const {
    if (node_.op == OpType::kDepthwiseConv2d) return i % static_cast<size_t>(outputs_);
    return i / (values_.size() / static_cast<size_t>(outputs_));
  }
  size_t input_of(size_t i, size_t channels) const {
    const auto* depthwise = std::get_if<DepthwiseConv2dAttr>(&node_.attributes);
    if (depthwise != nullptr) return output_of(i) / static_cast<size_t>(depthwise->multiplier);
    if (node_.op == OpType::kConv2d) {
      const auto depth = static_cast<size_t>(shape_.dim(3)), filters = static_cast<size_t>(outputs_);
      const size_t filters_of_group = filters / (channels / depth);
      return output_of(i) / filters_of_group * depth + i % depth;
    }
    return i % channels;  // a FULLY_CONNECTED row has consecutive pixels, each with its channels
  }

  void scale_outputs(const Affine& affine) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] *= affine.scale[output_of(i)];
    for (size_t o = 0; o < bias_.size(); ++o) bias_[o] = bias_[o] * affine.scale[o] + affine.offset[o];
    has_bias_ = has_bias_ || !affine.only_scales();
  }
  void scale_inputs(const Affine& affine) {
    for (size_t i = 0; i < values_.size(); ++i) {
      const size_t channel = input_of(i, affine.scale.size());
      bias_[output_of(i)] += double{values_[i]} * double{affine.offset[channel]};
      values_[i] *= affine.scale[channel];
    }
    has_bias_ = has_bias_ || !affine.only_scales();
  }

  // Gives the node new constants, because other nodes may use the old ones.
  void store(Graph& graph, NodeId id) const {
    const std::string name = graph.value(graph.node(id).inputs[kWeights]).name;
    graph.set_input(id, kWeights, graph.add_constant(name, shape_, values_));
    if (!has_bias_) return;
    const std::vector<float> bias(bias_.begin(), bias_.end());
    const ValueId value = graph.add_constant(name + "/bias", Shape{outputs_}, bias);
    if (graph.node(id).inputs.size() <= kBias) {
      graph.append_input(id, value);
    } else {
      graph.set_input(id, kBias, value);
    }
  }

 private:
  const Node& node_;
  Shape shape_;
  int32_t outputs_ = 0;
  std::vector<float> values_;
  std::vector<double> bias_;
  bool has_bias_ = false;
};

std::optional<std::string> obstacle_in_weights(const Graph& graph, const Node& node) {
  if (!graph.is_constant(node.inputs[kWeights]) || graph.value(node.inputs[kWeights]).type != DataType::kFloat32) {
    return "the weights are not float constants";
  }
  const bool has_bias = node.inputs.size() > kBias && node.inputs[kBias] != kNone;
  if (has_bias && !graph.is_constant(node.inputs[kBias])) return "the bias is not a constant";
  if (has_more_operands(node)) return "it reads other tensors";
  return std::nullopt;
}

bool is_padded(const Node& node) {
  const auto any = [](const Padding2d& p) { return p.top != 0 || p.bottom != 0 || p.left != 0 || p.right != 0; };
  if (const auto* conv = std::get_if<Conv2dAttr>(&node.attributes)) return any(conv->padding);
  if (const auto* depthwise = std::get_if<DepthwiseConv2dAttr>(&node.attributes)) return any(depthwise->padding);
  return false;
}

// The arithmetic node `id` follows the node with weights that computes its data.
RewriteOutcome fold_after(Graph& graph, NodeId id, size_t data) {
  const ValueId between = graph.node(id).inputs[data];
  const NodeId weighted = graph.value(between).producer;
  if (const auto obstacle = obstacle_in_weights(graph, graph.node(weighted)))
    return RewriteOutcome::declined(*obstacle);
  if (graph.node(weighted).activation != Activation::kNone) {
    return RewriteOutcome::declined(describe(graph, weighted) + " has the activation " +
                                    to_string(graph.node(weighted).activation));
  }
  if (!rewriting::read_once(graph, between)) {
    return RewriteOutcome::declined(quote(graph.value(between).name) + " is read by others or an output as well");
  }
  const std::optional<Affine> affine = affine_of(graph, graph.node(id), data);
  if (!affine) return RewriteOutcome::declined("the constant is not one finite number per channel");
  Weights weights(graph, graph.node(weighted));
  weights.scale_outputs(*affine);
  weights.store(graph, weighted);
  rewriting::activate_producer(graph, between, graph.node(id).activation, graph.node(id).outputs[0]);
  return RewriteOutcome::applied();
}

// The node with weights `id` follows the arithmetic node `before`.
RewriteOutcome fold_before(Graph& graph, NodeId id, NodeId before, size_t data) {
  const ValueId between = graph.node(id).inputs[0];
  const Node& arithmetic = graph.node(before);
  if (const auto obstacle = obstacle_in_weights(graph, graph.node(id))) return RewriteOutcome::declined(*obstacle);
  if (arithmetic.activation != Activation::kNone) {
    return RewriteOutcome::declined(describe(graph, before) + " has the activation " +
                                    to_string(arithmetic.activation));
  }
  if (!rewriting::read_once(graph, between)) {
    return RewriteOutcome::declined(quote(graph.value(between).name) + " is read by others or an output as well");
  }
  const std::optional<Affine> affine = affine_of(graph, arithmetic, data);
  if (!affine) return RewriteOutcome::declined("the constant is not one finite number per channel");
  if (!affine->only_scales() && is_padded(graph.node(id))) {
    return RewriteOutcome::declined("padding adds zeros after the addition, not before it");
  }
  if (!affine->only_scales() && graph.node(id).op == OpType::kTransposeConv) {
    return RewriteOutcome::declined("the taps of a transposed convolution differ between pixels");
  }
  const bool whole_pixels =
      graph.value(graph.node(id).inputs[kWeights]).shape.dim(1) % static_cast<int32_t>(affine->scale.size()) == 0;
  if (graph.node(id).op == OpType::kFullyConnected && !whole_pixels) {
    return RewriteOutcome::declined("rows of the weights do not take whole pixels");
  }
  Weights weights(graph, graph.node(id));
  weights.scale_inputs(*affine);
  weights.store(graph, id);
  graph.set_input(id, 0, arithmetic.inputs[data]);
  graph.remove_node(before);
  return RewriteOutcome::applied();
}

}  // namespace

RewriteOutcome fold_scale_bias(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (const auto data = data_input(graph, node)) {
    const NodeId producer = graph.value(node.inputs[*data]).producer;
    const bool matches = producer != kNone && has_weights(graph.node(producer).op);
    return matches ? fold_after(graph, id, *data) : RewriteOutcome::not_matched();
  }
  // The data of nodes of two convolutions meet other weights before input 1.
  const bool two = node.op == OpType::kDepthwisePointwise || node.op == OpType::kSqueezeExcite;
  if (!has_weights(node.op) || two) return RewriteOutcome::not_matched();
  const NodeId before = graph.value(node.inputs[0]).producer;
  if (before == kNone) return RewriteOutcome::not_matched();
  const auto data = data_input(graph, graph.node(before));
  return data ? fold_before(graph, id, before, *data) : RewriteOutcome::not_matched();
}

}  // namespace sightglass

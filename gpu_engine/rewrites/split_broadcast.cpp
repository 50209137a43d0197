// Removes channels that are equal at every pixel from the data of a 1×1 convolution: their contribution to its sums is
// also equal at every pixel, and is computed once. Pooled features that are broadcast over the image and concatenated
// with others are such channels (Chen et al., "Rethinking Atrous Convolution for Semantic Image Segmentation", 2017).
#include <utility>

#include "rewrites/rewrites.h"

namespace sightglass {
namespace {

// The one-pixel image that `value` repeats, if it has only one reader, or kNone.
ValueId repeated_pixel(const Graph& graph, ValueId value) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNone || !rewriting::read_once(graph, value)) return kNone;
  const Node& node = graph.node(producer);
  const bool resizes = node.op == OpType::kResizeBilinear || node.op == OpType::kResizeNearest;
  if (!resizes || node.activation != Activation::kNone) return kNone;
  const Shape& shape = graph.value(node.inputs[0]).shape;
  return shape == one_pixel(shape) ? node.inputs[0] : kNone;
}

// A part of the inputs of a concatenation along the channels, and the weights of a 1×1 convolution for them.
class Share {
 public:
  Share(const std::vector<float>& weights, int32_t filters) : all_(weights), filters_(static_cast<size_t>(filters)) {}

  bool empty() const { return inputs_.empty(); }
  int32_t channels() const { return static_cast<int32_t>(filters_.front().size()); }

  // Adds `input`, which has `channels` of the data from `first`.
  void take(ValueId input, int32_t first, int32_t channels) {
    inputs_.push_back(input);
    const size_t depth = all_.size() / filters_.size();
    for (size_t o = 0; o < filters_.size(); ++o) {
      const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(o * depth) + first;
      filters_[o].insert(filters_[o].end(), begin, begin + channels);
    }
  }

  // The inputs as one tensor, concatenated before `reader` if there are several.
  ValueId data(Graph& graph, const Node& concat, NodeId reader) const {
    if (inputs_.size() == 1) return inputs_[0];
    Node part = concat;
    Value value = graph.value(concat.outputs[0]);
    value.shape = graph.value(inputs_[0]).shape;
    value.shape.set_dim(3, channels());
    part.inputs = inputs_;
    part.outputs = {graph.add_value(std::move(value))};
    const ValueId data = part.outputs[0];
    graph.add_node(std::move(part), reader);
    return data;
  }

  ValueId weights(Graph& graph, const std::string& name) const {
    std::vector<float> packed;
    for (const std::vector<float>& filter : filters_) packed.insert(packed.end(), filter.begin(), filter.end());
    return graph.add_constant(name, {static_cast<int32_t>(filters_.size()), 1, 1, channels()}, packed);
  }

 private:
  const std::vector<float>& all_;
  std::vector<std::vector<float>> filters_;
  std::vector<ValueId> inputs_;
};

}  // namespace

RewriteOutcome split_broadcast(Graph& graph, NodeId id) {
  const Node conv = graph.node(id);
  if (!rewriting::is_pointwise_conv(graph, conv)) return RewriteOutcome::not_matched();
  const NodeId producer = graph.value(conv.inputs[0]).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kConcat) return RewriteOutcome::not_matched();
  const Node concat = graph.node(producer);
  if (std::get<ConcatAttr>(concat.attributes).axis != 3 || !graph.is_constant(conv.inputs[1])) {
    return RewriteOutcome::not_matched();
  }
  const std::vector<float> weights = graph.floats(conv.inputs[1]);
  const int32_t filters = graph.value(conv.inputs[1]).shape.dim(0);
  Share everywhere(weights, filters), elsewhere(weights, filters);
  int32_t first = 0;
  for (const ValueId input : concat.inputs) {
    const int32_t channels = graph.value(input).shape.dim(3);
    const ValueId pixel = repeated_pixel(graph, input);
    pixel != kNone ? everywhere.take(pixel, first, channels) : elsewhere.take(input, first, channels);
    first += channels;
  }
  if (everywhere.empty() || elsewhere.empty()) return RewriteOutcome::not_matched();
  const std::string& data = graph.value(conv.inputs[0]).name;
  if (!rewriting::read_once(graph, conv.inputs[0])) {
    return RewriteOutcome::declined(quote(data) + " is read by others or an output");
  }
  if (concat.activation != Activation::kNone) return RewriteOutcome::declined(quote(data) + " has an activation");
  if (has_more_operands(conv)) return RewriteOutcome::declined("it reads other tensors");
  if (const auto obstacle = rewriting::obstacle_to_more_operands(graph, id)) return RewriteOutcome::declined(*obstacle);

  const std::string name = graph.value(conv.inputs[1]).name;
  Value sums = graph.value(conv.outputs[0]);
  sums.name += "/everywhere";
  sums.shape = one_pixel(sums.shape);
  Node once = conv;
  once.activation = Activation::kNone;
  once.inputs = {everywhere.data(graph, concat, id), everywhere.weights(graph, name + "/everywhere"),
                 conv.inputs.size() > 2 ? conv.inputs[2] : kNone};
  once.outputs = {graph.add_value(std::move(sums))};
  const ValueId residual = once.outputs[0];
  graph.add_node(std::move(once), id);

  Node rest = conv;
  rest.inputs.resize(kResidualInput + 1, kNone);
  rest.inputs[0] = elsewhere.data(graph, concat, id);
  rest.inputs[1] = elsewhere.weights(graph, name + "/elsewhere");
  rest.inputs[2] = kNone;
  rest.inputs[kResidualInput] = residual;
  rewriting::replace_node(graph, id, std::move(rest));
  graph.remove_dead_nodes();
  return RewriteOutcome::applied();
}

}  // namespace sightglass

// Dumps a graph as text for people, and as a Graphviz drawing.
#include <array>
#include <sstream>

#include "graph/graph.h"

namespace sightglass {
namespace {

std::string pair(int32_t a, int32_t b) { return std::to_string(a) + "x" + std::to_string(b); }

// "1,2,3"
template <typename Numbers>
std::string list(const Numbers& numbers, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
  return text;
}

std::string number(float value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string text_of(const Padding2d& padding) {
  const char* const mode = padding.mode == PaddingMode::kSame    ? "same"
                           : padding.mode == PaddingMode::kValid ? "valid"
                                                                 : "explicit";
  if (padding.mode == PaddingMode::kValid) return std::string(" padding=") + mode;
  const std::array sides{padding.top, padding.bottom, padding.left, padding.right};
  return std::string(" padding=") + mode + "[" + list(sides, sides.size()) + "]";
}

// Relevant attributes, each as " name=value". `rank` is that of input 0.
struct AttributeText {
  size_t rank;

  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const Conv2dAttr& a) const {
    return text_of(a.padding) + " stride=" + pair(a.stride_h, a.stride_w) +
           " dilation=" + pair(a.dilation_h, a.dilation_w);
  }
  std::string operator()(const DepthwiseConv2dAttr& a) const {
    return text_of(a.padding) + " stride=" + pair(a.stride_h, a.stride_w) +
           " dilation=" + pair(a.dilation_h, a.dilation_w) + " multiplier=" + std::to_string(a.multiplier);
  }
  std::string operator()(const DepthwisePointwiseAttr& a) const {
    const bool none = a.between == Activation::kNone;
    return (*this)(a.depthwise) + (none ? "" : std::string(" between=") + to_string(a.between));
  }
  std::string operator()(const TransposeConvAttr& a) const {
    return text_of(a.padding) + " stride=" + pair(a.stride_h, a.stride_w) + " size=" + pair(a.out_h, a.out_w);
  }
  std::string operator()(const FullyConnectedAttr& a) const { return a.keep_num_dims ? " keep_num_dims" : ""; }
  std::string operator()(const Pool2dAttr& a) const {
    return text_of(a.padding) + " stride=" + pair(a.stride_h, a.stride_w) + " filter=" + pair(a.filter_h, a.filter_w);
  }
  std::string operator()(const ReduceAttr& a) const {
    return " axes=" + list(a.axes, a.axes.size()) + (a.keep_dims ? " keep_dims" : "");
  }
  std::string operator()(const SumAttr& a) const { return a.by_shifts ? " by_shifts" : ""; }
  std::string operator()(const SoftmaxAttr& a) const { return " beta=" + number(a.beta); }
  std::string operator()(const ConcatAttr& a) const { return " axis=" + std::to_string(a.axis); }
  std::string operator()(const PadAttr& a) const {
    return " before=" + list(a.before, rank) + " after=" + list(a.after, rank) + " value=" + number(a.value);
  }
  std::string operator()(const ReshapeAttr&) const { return ""; }  // see the shape of the output
  std::string operator()(const StridedSliceAttr& a) const {
    return " begin=" + list(a.begin, rank) + " stride=" + list(a.stride, rank) + " size=" + list(a.size, rank);
  }
  std::string operator()(const ResizeAttr& a) const {
    return " size=" + pair(a.out_h, a.out_w) + (a.align_corners ? " align_corners" : "") +
           (a.half_pixel_centers ? " half_pixel_centers" : "");
  }
  std::string operator()(const DynamicQuantizeAttr& a) const {
    return " group=" + std::to_string(a.group) + (a.asymmetric ? " asymmetric" : "");
  }
  std::string operator()(const ArgAttr& a) const { return " axis=" + std::to_string(a.axis); }
  std::string operator()(const LeakyReluAttr& a) const { return " alpha=" + number(a.alpha); }
  std::string operator()(const GeluAttr& a) const { return a.approximate ? " approximate" : ""; }
  std::string operator()(const LandmarksToMatrixAttr& a) const {
    return " line=" + pair(a.left, a.right) + " subset=" + list(a.subset, a.subset.size());
  }
  std::string operator()(const TransformLandmarksAttr& a) const {
    return " dimensions=" + std::to_string(a.dimensions) + " scale=" + number(a.scale);
  }
  std::string operator()(const TransformImageAttr& a) const {
    return " size=" + pair(a.out_h, a.out_w) + (a.half_pixel_centers ? " half_pixel_centers" : "");
  }
  std::string operator()(const TopKAttr& a) const { return " k=" + std::to_string(a.k); }
  std::string operator()(const BatchMatmulAttr& a) const {
    return std::string(a.adj_x ? " adj_x" : "") + (a.adj_y ? " adj_y" : "");
  }
  std::string operator()(const SelectAttr& a) const { return a.by_row ? " by_row" : ""; }
  std::string operator()(const BroadcastToAttr&) const { return ""; }  // as above
  std::string operator()(const TransposeAttr& a) const {
    return " permutation=" + list(a.permutation, a.permutation.size());
  }
  std::string operator()(const SplitAttr& a) const {
    return " axis=" + std::to_string(a.axis) + " sizes=" + list(a.sizes, a.sizes.size()) +
           (a.drop_axis ? " drop_axis" : "");
  }
  std::string operator()(const TileAttr& a) const { return " multiples=" + list(a.multiples, a.multiples.size()); }
  std::string operator()(const MirrorPadAttr& a) const {
    return " before=" + list(a.before, rank) + " after=" + list(a.after, rank) + (a.symmetric ? " symmetric" : "");
  }
  std::string operator()(const BatchSpaceAttr& a) const {
    return " block=" + list(a.block, a.block.size()) + " before=" + list(a.before, a.before.size()) +
           " after=" + list(a.after, a.after.size());
  }
  std::string operator()(const GatherAttr& a) const {
    return " axis=" + std::to_string(a.axis) + (a.batch_dims > 0 ? " batch_dims=" + std::to_string(a.batch_dims) : "");
  }
  std::string operator()(const DepthToSpaceAttr& a) const { return " block=" + std::to_string(a.block_size); }
  std::string operator()(const DetectionAttr& a) const {
    return " detections=" + std::to_string(a.max_detections) + " classes=" + std::to_string(a.max_classes) + "/" +
           std::to_string(a.classes) + (a.regular ? " regular" : "") + " score=" + number(a.score_threshold) +
           " iou=" + number(a.iou_threshold);
  }
  std::string operator()(const PosenetDecoderAttr& a) const {
    return " detections=" + std::to_string(a.max_detections) + " score=" + number(a.score_threshold) +
           " radius=" + number(a.nms_radius) + " stride=" + std::to_string(a.stride);
  }
  std::string operator()(const LstmAttr& a) const {
    return std::string(a.basic ? " basic" : "") + (a.time_major ? " time_major" : "") +
           " cells=" + to_string(a.activation) + (a.cell_clip > 0 ? " cell_clip=" + number(a.cell_clip) : "") +
           (a.projection_clip > 0 ? " projection_clip=" + number(a.projection_clip) : "");
  }
};

std::string attributes_of(const Graph& graph, const Node& node) {
  const bool has_data = !node.inputs.empty() && node.inputs[0] != kNone;
  const size_t rank = has_data ? static_cast<size_t>(graph.value(node.inputs[0]).shape.rank()) : 0;
  std::string text = std::visit(AttributeText{rank}, node.attributes);
  if (node.activation != Activation::kNone) text += std::string(" activation=") + to_string(node.activation);
  return text;
}

// "%3 'name' float32 1x8x8x4"
std::string declare(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return "%" + std::to_string(id) + " '" + printable(value.name) + "' " + to_string(value.type) + " " +
         value.shape.to_string();
}

// Text of an operand: "%3", "const(%4 float16 8x3x3x4)", "-".
std::string operand(const Graph& graph, ValueId id) {
  if (id == kNone) return "-";
  if (!graph.is_constant(id)) return "%" + std::to_string(id);
  const Value& value = graph.value(id);
  return "const(%" + std::to_string(id) + " " + to_string(value.constant->type) + " " + value.shape.to_string() + ")";
}

// As a Graphviz string.
std::string label_of(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::string dump_text(const Graph& graph) {
  std::string text = "graph '" + printable(graph.name) + "'\n";
  for (const ValueId id : graph.inputs) text += "input " + declare(graph, id) + "\n";
  for (const State& state : graph.states) text += "state " + declare(graph, state.input) + "\n";
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (size_t i = 0; i < node.outputs.size(); ++i) text += (i == 0 ? "" : ", ") + declare(graph, node.outputs[i]);
    text += std::string(" = ") + to_string(node.op) + "(";
    for (size_t i = 0; i < node.inputs.size(); ++i) text += (i == 0 ? "" : ", ") + operand(graph, node.inputs[i]);
    text += ")" + attributes_of(graph, node);
    if (!node.origin.empty()) text += "  # " + node.origin;
    text += "\n";
  }
  for (const ValueId id : graph.outputs) text += "output " + operand(graph, id) + "\n";
  for (const State& state : graph.states) {
    text += "next " + operand(graph, state.input) + " = " + operand(graph, state.output) + "\n";
  }
  return text;
}

std::string dump_graphviz(const Graph& graph) {
  std::string text = "digraph " + label_of(printable(graph.name)) + " {\n  node [shape=box];\n";
  const auto source = [&graph](ValueId id) {
    const NodeId producer = graph.value(id).producer;
    return producer == kNone ? "v" + std::to_string(id) : "n" + std::to_string(producer);
  };
  const auto edge = [&graph](const std::string& from, const std::string& to, ValueId id) {
    return "  " + from + " -> " + to + " [label=" + label_of(graph.value(id).shape.to_string()) + "];\n";
  };
  const auto source_node = [&](ValueId id) {
    return "  v" + std::to_string(id) + " [shape=ellipse, label=" + label_of(printable(graph.value(id).name)) + "];\n";
  };
  for (const ValueId id : graph.inputs) text += source_node(id);
  for (const State& state : graph.states) text += source_node(state.input);
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::string label = to_string(node.op);
    for (const ValueId input : node.inputs) {
      if (graph.is_constant(input)) label += "\nconst " + graph.value(input).shape.to_string();
    }
    if (node.activation != Activation::kNone) label += std::string("\n") + to_string(node.activation);
    const std::string name = "n" + std::to_string(id);
    text += "  " + name + " [label=" + label_of(label) + "];\n";
    for (const ValueId input : node.inputs) {
      if (input != kNone && !graph.is_constant(input)) text += edge(source(input), name, input);
    }
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId id = graph.outputs[i];
    const std::string name = "output" + std::to_string(i);
    text += "  " + name + " [shape=ellipse, label=" + label_of(printable(graph.value(id).name)) + "];\n";
    text += edge(source(id), name, id);
  }
  for (const State& state : graph.states) text += edge(source(state.output), source(state.input), state.output);
  return text + "}\n";
}

}  // namespace sightglass

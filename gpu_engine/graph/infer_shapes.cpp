#include <algorithm>
#include <limits>

#include "graph/graph.h"
#include "graph/infer_special.h"

namespace sightglass {

namespace {

constexpr int64_t kMaxElements = std::numeric_limits<int32_t>::max();

// The inputs of one node, and how to complain about them.
class ShapeInference {
 public:
  ShapeInference(const Graph& graph, Node& node) : graph_(graph), node_(node) {}

  Result<Shape> infer();

 private:
  bool has(size_t input) const { return input < node_.inputs.size() && node_.inputs[input] != kNone; }
  const Shape& shape(size_t input) const { return graph_.value(node_.inputs[input]).shape; }

  std::string subject() const {
    std::string text = node_.origin.empty() ? std::string(to_string(node_.op)) : node_.origin;
    if (!node_.outputs.empty()) text += " (output '" + graph_.value(node_.outputs[0]).name + "')";
    return text;
  }
  Status wrong(const std::string& what) const { return invalid_model(subject() + ": " + what); }
  Status wrong_input(size_t input, const std::string& what) const {
    return wrong("input '" + graph_.value(node_.inputs[input]).name + "' of shape " + shape(input).to_string() + " " +
                 what);
  }

  Status need_inputs(size_t least, size_t most) const;
  Status need_rank(size_t input, int rank) const;
  Status need_bias_and_slope(int32_t channels) const;
  Result<Shape> make(std::span<const int64_t> dims) const;
  Result<int64_t> window(const char* axis, int64_t in, int64_t filter, int64_t stride, int64_t dilation,
                         PaddingMode mode, int32_t& before, int32_t& after) const;

  Result<Shape> conv2d();
  Result<Shape> depthwise_conv2d();
  Result<Shape> transpose_conv();
  Result<Shape> fully_connected();
  Result<Shape> pool2d();
  Result<Shape> mean();
  Result<Shape> broadcast(size_t a, size_t b) const;
  Result<Shape> broadcast(const Shape& a, const Shape& b, const std::string& inputs) const;
  Result<Shape> select();
  Result<Shape> broadcast_to();
  Result<Shape> add_n();
  Result<Shape> unary(int least_rank = 0);
  Result<Shape> concat();
  Result<Shape> pad();
  Result<Shape> reshape();
  Result<Shape> strided_slice();
  Result<Shape> resize();
  Result<Shape> depth_to_space();
  Result<Shape> dynamic_quantize();

  const Graph& graph_;
  Node& node_;
};

Status ShapeInference::need_inputs(size_t least, size_t most) const {
  if (node_.inputs.size() < least || node_.inputs.size() > most) {
    return wrong("it has " + std::to_string(node_.inputs.size()) + " inputs, but takes " + std::to_string(least) +
                 (most == least ? "" : " to " + std::to_string(most)));
  }
  for (size_t i = 0; i < least; ++i) {
    if (!has(i)) return wrong("input " + std::to_string(i) + " is missing");
  }
  return {};
}

Status ShapeInference::need_rank(size_t input, int rank) const {
  if (shape(input).rank() == rank) return {};
  return wrong_input(input, "needs " + std::to_string(rank) + " dimensions");
}

Status ShapeInference::need_bias_and_slope(int32_t channels) const {
  if (has(2) && shape(2).elements() != channels) {
    return wrong_input(2, "is no bias of " + std::to_string(channels) + " channels");
  }
  if (node_.activation != Activation::kPrelu) return {};
  if (!has(3)) return wrong("its activation prelu needs slopes, which are missing");
  if (shape(3).elements() == channels) return {};
  return wrong_input(3, "has no slope for each of " + std::to_string(channels) + " channels");
}

Result<Shape> ShapeInference::make(std::span<const int64_t> dims) const {
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return wrong("its output has " + std::to_string(dims.size()) + " dimensions, more than " +
                 std::to_string(Shape::kMaxRank));
  }
  std::vector<int32_t> narrow;
  int64_t elements = 1;
  for (const int64_t d : dims) {
    if (d < 0) return wrong("its output has the negative dimension " + std::to_string(d));
    if (d > kMaxElements || (d != 0 && elements > kMaxElements / d)) return wrong("its output is too large");
    elements *= d;
    narrow.push_back(static_cast<int32_t>(d));
  }
  return Shape(narrow);
}

// The output size of a sliding window along one axis; SAME and VALID set the padding.
Result<int64_t> ShapeInference::window(const char* axis, int64_t in, int64_t filter, int64_t stride, int64_t dilation,
                                       PaddingMode mode, int32_t& before, int32_t& after) const {
  if (filter < 1 || stride < 1 || dilation < 1) {
    return wrong("filter, stride and dilation must be at least 1, but its " + std::string(axis) + "s are " +
                 std::to_string(filter) + ", " + std::to_string(stride) + " and " + std::to_string(dilation));
  }
  const int64_t extent = (filter - 1) * dilation + 1;
  if (mode == PaddingMode::kSame) {
    const int64_t out = (in + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((out - 1) * stride + extent - in, 0);
    if (total > kMaxElements) return wrong("its window is too large");
    before = static_cast<int32_t>(total / 2);
    after = static_cast<int32_t>(total - total / 2);
    return out;
  }
  if (mode == PaddingMode::kValid) before = after = 0;
  if (before < 0 || after < 0) return wrong("its padding is negative");
  const int64_t padded = in + before + after;
  if (padded < extent) {
    return wrong("a window of " + std::string(axis) + " " + std::to_string(extent) + " does not fit an input of " +
                 std::to_string(padded));
  }
  return (padded - extent) / stride + 1;
}

Result<Shape> ShapeInference::conv2d() {
  SG_RETURN_IF_ERROR(need_inputs(2, 4));
  SG_RETURN_IF_ERROR(need_rank(0, 4));
  SG_RETURN_IF_ERROR(need_rank(1, 4));
  auto& a = std::get<Conv2dAttr>(node_.attributes);
  const Shape& in = shape(0);
  const Shape& weights = shape(1);
  if (weights.dim(3) != in.dim(3)) {
    if (weights.dim(3) > 0 && in.dim(3) % weights.dim(3) == 0) {
      return unsupported(subject() + ": it is a grouped convolution (" + std::to_string(in.dim(3)) +
                         " input channels, filters of " + std::to_string(weights.dim(3)) +
                         "); split it into convolutions without groups");
    }
    return wrong_input(1, "does not fit the " + std::to_string(in.dim(3)) + " channels of its data");
  }
  SG_RETURN_IF_ERROR(need_bias_and_slope(weights.dim(0)));
  SG_ASSIGN_OR_RETURN(const int64_t h, window("height", in.dim(1), weights.dim(1), a.stride_h, a.dilation_h,
                                              a.padding.mode, a.padding.top, a.padding.bottom));
  SG_ASSIGN_OR_RETURN(const int64_t w, window("width", in.dim(2), weights.dim(2), a.stride_w, a.dilation_w,
                                              a.padding.mode, a.padding.left, a.padding.right));
  return make(std::array<int64_t, 4>{in.dim(0), h, w, weights.dim(0)});
}

Result<Shape> ShapeInference::depthwise_conv2d() {
  SG_RETURN_IF_ERROR(need_inputs(2, 4));
  SG_RETURN_IF_ERROR(need_rank(0, 4));
  SG_RETURN_IF_ERROR(need_rank(1, 4));
  auto& a = std::get<DepthwiseConv2dAttr>(node_.attributes);
  const Shape& in = shape(0);
  const Shape& weights = shape(1);
  if (weights.dim(0) != 1 || a.multiplier < 1 || int64_t{in.dim(3)} * a.multiplier != weights.dim(3)) {
    return wrong_input(1, "does not fit " + std::to_string(in.dim(3)) + " input channels with a multiplier of " +
                              std::to_string(a.multiplier));
  }
  SG_RETURN_IF_ERROR(need_bias_and_slope(weights.dim(3)));
  SG_ASSIGN_OR_RETURN(const int64_t h, window("height", in.dim(1), weights.dim(1), a.stride_h, a.dilation_h,
                                              a.padding.mode, a.padding.top, a.padding.bottom));
  SG_ASSIGN_OR_RETURN(const int64_t w, window("width", in.dim(2), weights.dim(2), a.stride_w, a.dilation_w,
                                              a.padding.mode, a.padding.left, a.padding.right));
  return make(std::array<int64_t, 4>{in.dim(0), h, w, weights.dim(3)});
}

// The padding is that of the convolution which would take the output back to the input.
Result<Shape> ShapeInference::transpose_conv() {
  SG_RETURN_IF_ERROR(need_inputs(2, 4));
  SG_RETURN_IF_ERROR(need_rank(0, 4));
  SG_RETURN_IF_ERROR(need_rank(1, 4));
  auto& a = std::get<TransposeConvAttr>(node_.attributes);
  const Shape& in = shape(0);
  const Shape& weights = shape(1);
  if (weights.dim(3) != in.dim(3)) {
    return wrong_input(1, "does not fit the " + std::to_string(in.dim(3)) + " channels of its data");
  }
  SG_RETURN_IF_ERROR(need_bias_and_slope(weights.dim(0)));
  if (a.out_h < 1 || a.out_w < 1) {
    return wrong("its output of " + std::to_string(a.out_h) + " x " + std::to_string(a.out_w) + " is empty");
  }
  SG_RETURN_IF_ERROR(
      window("height", a.out_h, weights.dim(1), a.stride_h, 1, a.padding.mode, a.padding.top, a.padding.bottom)
          .status());
  SG_RETURN_IF_ERROR(
      window("width", a.out_w, weights.dim(2), a.stride_w, 1, a.padding.mode, a.padding.left, a.padding.right)
          .status());
  return make(std::array<int64_t, 4>{in.dim(0), a.out_h, a.out_w, weights.dim(0)});
}

Result<Shape> ShapeInference::fully_connected() {
  SG_RETURN_IF_ERROR(need_inputs(2, 4));
  SG_RETURN_IF_ERROR(need_rank(1, 2));
  const auto& a = std::get<FullyConnectedAttr>(node_.attributes);
  const Shape& in = shape(0);
  const int32_t outputs = shape(1).dim(0);
  const int32_t depth = shape(1).dim(1);
  if (depth < 1 || in.elements() % depth != 0) {
    return wrong_input(1, "does not fit its data of shape " + in.to_string());
  }
  SG_RETURN_IF_ERROR(need_bias_and_slope(outputs));
  if (!a.keep_num_dims) return make(std::array<int64_t, 2>{in.elements() / depth, outputs});
  if (in.rank() < 1 || in.dim(in.rank() - 1) != depth) {
    return wrong_input(1, "does not fit the last dimension of its data of shape " + in.to_string());
  }
  std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
  dims.back() = outputs;
  return make(dims);
}

Result<Shape> ShapeInference::pool2d() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  SG_RETURN_IF_ERROR(need_rank(0, 4));
  auto& a = std::get<Pool2dAttr>(node_.attributes);
  const Shape& in = shape(0);
  SG_ASSIGN_OR_RETURN(const int64_t h, window("height", in.dim(1), a.filter_h, a.stride_h, 1, a.padding.mode,
                                              a.padding.top, a.padding.bottom));
  SG_ASSIGN_OR_RETURN(const int64_t w, window("width", in.dim(2), a.filter_w, a.stride_w, 1, a.padding.mode,
                                              a.padding.left, a.padding.right));
  return make(std::array<int64_t, 4>{in.dim(0), h, w, in.dim(3)});
}

Result<Shape> ShapeInference::mean() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  const auto& a = std::get<ReduceAttr>(node_.attributes);
  const Shape& in = shape(0);
  for (size_t i = 0; i < a.axes.size(); ++i) {
    if (a.axes[i] < 0 || a.axes[i] >= in.rank() || (i > 0 && a.axes[i] <= a.axes[i - 1])) {
      return wrong_input(0, "has no axis " + std::to_string(a.axes[i]) + ", or its axes are not in ascending order");
    }
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < in.rank(); ++d) {
    const bool reduced = std::ranges::find(a.axes, d) != a.axes.end();
    if (!reduced) {
      dims.push_back(in.dim(d));
    } else if (a.keep_dims) {
      dims.push_back(1);
    }
  }
  return make(dims);
}

Result<Shape> ShapeInference::broadcast(const Shape& a, const Shape& b, const std::string& inputs) const {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {  // from the last dimension on
    const int32_t da = i < a.rank() ? a.dim(a.rank() - 1 - i) : 1;
    const int32_t db = i < b.rank() ? b.dim(b.rank() - 1 - i) : 1;
    if (da != db && da != 1 && db != 1) {
      return wrong("the shapes " + a.to_string() + " and " + b.to_string() + " of " + inputs + " cannot be broadcast");
    }
    dims[static_cast<size_t>(rank - 1 - i)] = da == 1 ? db : da;
  }
  return make(dims);
}

Result<Shape> ShapeInference::broadcast(size_t a, size_t b) const {
  return broadcast(
      shape(a), shape(b),
      "its inputs '" + graph_.value(node_.inputs[a]).name + "' and '" + graph_.value(node_.inputs[b]).name + "'");
}

Result<Shape> ShapeInference::select() {
  SG_RETURN_IF_ERROR(need_inputs(3, 3));
  if (std::get<SelectAttr>(node_.attributes).by_row) {
    if (shape(1) != shape(2)) return wrong_input(2, "is not of the shape " + shape(1).to_string());
    if (shape(1).rank() < 1 || shape(0).rank() != 1 || shape(0).dim(0) != shape(1).dim(0)) {
      return wrong_input(0, "does not have an element for each row of " + shape(1).to_string());
    }
    return shape(1);
  }
  SG_ASSIGN_OR_RETURN(const Shape data, broadcast(1, 2));
  return broadcast(shape(0), data, "its condition and its data");
}

Result<Shape> ShapeInference::broadcast_to() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  const Shape& to = std::get<BroadcastToAttr>(node_.attributes).shape;
  const std::vector<int64_t> dims(to.dims().begin(), to.dims().end());
  SG_ASSIGN_OR_RETURN(const Shape checked, make(dims));
  SG_ASSIGN_OR_RETURN(const Shape joint, broadcast(shape(0), checked, "its input and its output"));
  if (joint != checked) return wrong_input(0, "cannot be broadcast to " + checked.to_string());
  return checked;
}

Result<Shape> ShapeInference::add_n() {
  SG_RETURN_IF_ERROR(need_inputs(1, std::numeric_limits<size_t>::max()));
  for (size_t i = 1; i < node_.inputs.size(); ++i) {
    if (!has(i)) return wrong("input " + std::to_string(i) + " is missing");
    if (shape(i) != shape(0)) return wrong_input(i, "is not of the shape " + shape(0).to_string());
  }
  return shape(0);
}

Result<Shape> ShapeInference::unary(int least_rank) {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  if (shape(0).rank() < least_rank) {
    return wrong_input(0, "needs at least " + std::to_string(least_rank) + " dimensions");
  }
  return shape(0);
}

Result<Shape> ShapeInference::dynamic_quantize() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  const int32_t group = std::get<DynamicQuantizeAttr>(node_.attributes).group;
  if (group < 1 || shape(0).elements() % group != 0) {
    return wrong_input(0, "does not consist of groups of " + std::to_string(group) + " elements");
  }
  return shape(0);
}

Result<Shape> ShapeInference::concat() {
  SG_RETURN_IF_ERROR(need_inputs(1, std::numeric_limits<size_t>::max()));
  const int32_t axis = std::get<ConcatAttr>(node_.attributes).axis;
  for (size_t i = 0; i < node_.inputs.size(); ++i) {
    if (!has(i)) return wrong("input " + std::to_string(i) + " is missing");
  }
  const Shape& first = shape(0);
  if (axis < 0 || axis >= first.rank()) return wrong_input(0, "has no axis " + std::to_string(axis));
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  for (size_t i = 1; i < node_.inputs.size(); ++i) {
    const Shape& next = shape(i);
    bool fits = next.rank() == first.rank();
    for (int d = 0; fits && d < first.rank(); ++d) fits = d == axis || next.dim(d) == first.dim(d);
    if (!fits) {
      return wrong_input(i, "cannot be joined with " + first.to_string() + " along axis " + std::to_string(axis));
    }
    dims[static_cast<size_t>(axis)] += next.dim(axis);
  }
  return make(dims);
}

Result<Shape> ShapeInference::pad() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  const auto& a = std::get<PadAttr>(node_.attributes);
  std::vector<int64_t> dims;
  for (int d = 0; d < shape(0).rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    if (a.before[i] < 0 || a.after[i] < 0) return wrong("its padding is negative");
    dims.push_back(int64_t{shape(0).dim(d)} + a.before[i] + a.after[i]);
  }
  return make(dims);
}

Result<Shape> ShapeInference::reshape() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  const Shape& to = std::get<ReshapeAttr>(node_.attributes).shape;
  const std::vector<int64_t> dims(to.dims().begin(), to.dims().end());
  SG_ASSIGN_OR_RETURN(const Shape checked, make(dims));
  if (checked.elements() != shape(0).elements()) return wrong_input(0, "cannot become " + to.to_string());
  return checked;
}

Result<Shape> ShapeInference::strided_slice() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  const auto& a = std::get<StridedSliceAttr>(node_.attributes);
  const Shape& in = shape(0);
  std::vector<int64_t> taken;
  for (int d = 0; d < in.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t last = a.begin[i] + (int64_t{a.size[i]} - 1) * a.stride[i];
    if (a.stride[i] == 0 || a.size[i] < 0) return wrong("its stride is 0 or its size negative");
    if (a.size[i] > 0 && (a.begin[i] < 0 || a.begin[i] >= in.dim(d) || last < 0 || last >= in.dim(d))) {
      return wrong_input(0, "does not reach from " + std::to_string(a.begin[i]) + " to " + std::to_string(last) +
                                " along axis " + std::to_string(d));
    }
    taken.push_back(a.size[i]);
  }
  SG_ASSIGN_OR_RETURN(const Shape all, make(taken));
  const std::vector<int64_t> dims(a.shape.dims().begin(), a.shape.dims().end());
  SG_ASSIGN_OR_RETURN(const Shape out, make(dims));
  if (all.elements() != out.elements()) {
    return wrong("its slice of " + all.to_string() + " cannot become " + out.to_string());
  }
  return out;
}

Result<Shape> ShapeInference::resize() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  SG_RETURN_IF_ERROR(need_rank(0, 4));
  const auto& a = std::get<ResizeAttr>(node_.attributes);
  if (a.out_h < 1 || a.out_w < 1) {
    return wrong("its output size is " + std::to_string(a.out_h) + " x " + std::to_string(a.out_w));
  }
  return make(std::array<int64_t, 4>{shape(0).dim(0), a.out_h, a.out_w, shape(0).dim(3)});
}

Result<Shape> ShapeInference::depth_to_space() {
  SG_RETURN_IF_ERROR(need_inputs(1, 1));
  SG_RETURN_IF_ERROR(need_rank(0, 4));
  const int64_t block = std::get<DepthToSpaceAttr>(node_.attributes).block_size;
  const Shape& in = shape(0);
  if (block < 1 || block > kMaxElements || in.dim(3) % (block * block) != 0) {
    return wrong_input(0, "cannot be taken apart into blocks of " + std::to_string(block));
  }
  return make(std::array<int64_t, 4>{in.dim(0), in.dim(1) * block, in.dim(2) * block, in.dim(3) / (block * block)});
}

Result<Shape> ShapeInference::infer() {
  if (is_unary(node_.op)) return unary();
  if (is_binary(node_.op)) {
    SG_RETURN_IF_ERROR(need_inputs(2, 2));
    return broadcast(0, 1);
  }
  switch (node_.op) {
    case OpType::kConv2d:
      return conv2d();
    case OpType::kDepthwiseConv2d:
      return depthwise_conv2d();
    case OpType::kTransposeConv:
      return transpose_conv();
    case OpType::kFullyConnected:
      return fully_connected();
    case OpType::kAveragePool2d:
    case OpType::kMaxPool2d:
      return pool2d();
    case OpType::kMean:
      return mean();
    case OpType::kDequantize:
    case OpType::kQuantize:
      return unary();
    case OpType::kDynamicQuantize:
      return dynamic_quantize();
    case OpType::kSoftmax:
      return unary(1);
    case OpType::kConcat:
      return concat();
    case OpType::kPad:
      return pad();
    case OpType::kReshape:
      return reshape();
    case OpType::kStridedSlice:
      return strided_slice();
    case OpType::kResizeBilinear:
      return resize();
    case OpType::kDepthToSpace:
      return depth_to_space();
    case OpType::kSelect:
      return select();
    case OpType::kBroadcastTo:
      return broadcast_to();
    case OpType::kAddN:
      return add_n();
    default:  // LSTM has several outputs
      break;
  }
  return wrong("its operator is unknown");
}

}  // namespace

Result<std::vector<Shape>> infer_shapes(const Graph& graph, Node& node) {
  const std::string op = node.origin.empty() ? std::string(to_string(node.op)) : node.origin;
  if (!fits(node.op, node.attributes)) {
    return internal_error(op + ": its attributes are those of another operator");
  }
  if (node.activation == Activation::kPrelu && !has_weights(node.op)) {
    return invalid_model(op + ": it has no slopes for the activation prelu");
  }
  std::vector<Shape> shapes;
  if (node.op == OpType::kLstm) {
    SG_ASSIGN_OR_RETURN(shapes, infer_lstm(graph, node));
  } else {
    SG_ASSIGN_OR_RETURN(const Shape shape, ShapeInference(graph, node).infer());
    shapes.push_back(shape);
  }
  if (node.outputs.size() == shapes.size()) return shapes;
  return invalid_model(op + ": it has " + std::to_string(node.outputs.size()) + " outputs, but makes " +
                       std::to_string(shapes.size()));
}

}  // namespace sightglass

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "graph/operator_table.h"
#include "rewrites/rewrites.h"

namespace sightglass {
// Removes operators that do not change their input.

namespace {

bool selects_everything(const StridedSliceAttr& attr, const Shape& in) {
  for (size_t i = 0; i < static_cast<size_t>(in.rank()); ++i) {
    if (attr.begin[i] != 0 || attr.stride[i] != 1 || attr.size[i] != in.dim(static_cast<int>(i))) return false;
  }
  return true;
}

// Whether output 0 has the elements of input 0, apart from the activation.
bool moves_nothing(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == kNone) return false;
  const Shape& in = graph.value(node.inputs[0]).shape;
  if (in != graph.value(node.outputs[0]).shape) return false;
  if (operators::has(node.op, operators::kKeepsEqualShapes)) return true;
  if (node.op == OpType::kConcat) return node.inputs.size() == 1;
  if (const auto* slice = std::get_if<StridedSliceAttr>(&node.attributes)) return selects_everything(*slice, in);
  if (node.op != OpType::kAveragePool2d && node.op != OpType::kMaxPool2d) return false;
  const auto& pool = std::get<Pool2dAttr>(node.attributes);
  return pool.filter_h == 1 && pool.filter_w == 1 && pool.stride_h == 1 && pool.stride_w == 1;
}

RewriteOutcome remove_identity(Graph& graph, NodeId id) {
  const ValueId in = graph.node(id).inputs[0];
  const ValueId out = graph.node(id).outputs[0];
  if (graph.node(id).activation != Activation::kNone) {
    return RewriteOutcome::declined(std::string("it has the activation ") + to_string(graph.node(id).activation));
  }
  if (graph.is_output(out) && (graph.value(in).producer == kNone || graph.is_output(in))) {
    return RewriteOutcome::declined("an output of the graph would be its input, a constant or another output");
  }
  graph.replace_uses(out, in);
  graph.remove_node(id);
  return RewriteOutcome::applied();
}

// Makes the second of two reshapes read the input of the first one.
RewriteOutcome shorten_chain(Graph& graph, NodeId id) {
  const ValueId between = graph.node(id).inputs[0];
  const NodeId first = graph.value(between).producer;
  if (first == kNone || graph.node(first).op != OpType::kReshape) return RewriteOutcome::not_matched();
  if (graph.node(first).activation != Activation::kNone) {
    return RewriteOutcome::declined("the first RESHAPE has an activation");
  }
  graph.set_input(id, 0, graph.node(first).inputs[0]);
  if (graph.value(between).users.empty() && !graph.is_output(between)) graph.remove_node(first);
  return RewriteOutcome::applied();
}

}  // namespace

RewriteOutcome remove_identities(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (moves_nothing(graph, node)) return remove_identity(graph, id);
  return node.op == OpType::kReshape ? shorten_chain(graph, id) : RewriteOutcome::not_matched();
}

// Makes a CONCATENATION read a tensor instead of all its parts, one after the other.

namespace {

// Where a part along `axis` begins in `whole`; all of its other dimensions are those of the whole.
struct Part {
  ValueId whole = kNone;
  int32_t begin = 0;
};

std::optional<Part> part_of(const Graph& graph, ValueId value, int32_t axis) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNone || graph.node(producer).activation != Activation::kNone) return std::nullopt;
  const Node& node = graph.node(producer);
  const Value &whole = graph.value(node.inputs[0]), &part = graph.value(value);
  if (whole.quantization.scale != part.quantization.scale ||
      whole.quantization.zero_point != part.quantization.zero_point || whole.shape.rank() != part.shape.rank()) {
    return std::nullopt;
  }
  if (const auto* split = std::get_if<SplitAttr>(&node.attributes)) {
    if (split->axis != axis || split->drop_axis) return std::nullopt;
    Part found{node.inputs[0], 0};
    for (size_t i = 0; node.outputs[i] != value; ++i) found.begin += split->sizes[i];
    return found;
  }
  const auto* slice = std::get_if<StridedSliceAttr>(&node.attributes);
  if (slice == nullptr || slice->shape != part.shape) return std::nullopt;
  for (int d = 0; d < whole.shape.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const bool all = slice->begin[i] == 0 && slice->size[i] == whole.shape.dim(d);
    if (slice->stride[i] != 1 || slice->size[i] != part.shape.dim(d) || (d != axis && !all)) return std::nullopt;
  }
  return Part{node.inputs[0], slice->begin[static_cast<size_t>(axis)]};
}

// The number of inputs from `first` on that are all parts of one tensor in their order, or 0.
size_t parts_from(const Graph& graph, const Node& concat, size_t first, ValueId& whole) {
  const int32_t axis = std::get<ConcatAttr>(concat.attributes).axis;
  int32_t end = 0;
  for (size_t i = first; i < concat.inputs.size(); ++i) {
    const std::optional<Part> part = part_of(graph, concat.inputs[i], axis);
    if (!part || part->begin != end || (i > first && part->whole != whole)) return 0;
    whole = part->whole;
    end += graph.value(concat.inputs[i]).shape.dim(axis);
    if (end == graph.value(whole).shape.dim(axis)) return i + 1 - first;
  }
  return 0;
}

}  // namespace

RewriteOutcome join_slices(Graph& graph, NodeId id) {
  if (graph.node(id).op != OpType::kConcat) return RewriteOutcome::not_matched();
  for (size_t i = 0; i < graph.node(id).inputs.size(); ++i) {
    ValueId whole = kNone;
    const size_t count = parts_from(graph, graph.node(id), i, whole);
    if (count < 2) continue;
    Node joined = graph.node(id);
    const auto begin = joined.inputs.begin() + static_cast<std::ptrdiff_t>(i);
    joined.inputs.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(count));
    joined.inputs[i] = whole;
    rewriting::replace_node(graph, id, std::move(joined));
    graph.remove_dead_nodes();
    return RewriteOutcome::applied();
  }
  return RewriteOutcome::not_matched();
}

// Gives a TRANSPOSE of many dimensions fewer: neighbors that stay neighbors are one dimension.

namespace {

// More do not fit on the GPU.
constexpr int kMostDimensions = 5;

ValueId add_reshape(Graph& graph, ValueId from, const Shape& shape, NodeId before) {
  Value value = graph.value(from);
  value.name += "/merged";
  value.shape = shape;
  value.constant.reset();
  Node node;
  node.op = OpType::kReshape;
  node.attributes = ReshapeAttr{shape};
  node.origin = graph.node(before).origin;
  node.inputs = {from};
  node.outputs = {graph.add_value(std::move(value))};
  const ValueId result = node.outputs[0];
  graph.add_node(std::move(node), before);
  return result;
}

}  // namespace

RewriteOutcome merge_dimensions(Graph& graph, NodeId id) {
  const Node node = graph.node(id);
  if (node.op != OpType::kTranspose) return RewriteOutcome::not_matched();
  const Shape in = graph.value(node.inputs[0]).shape;
  if (in.rank() <= kMostDimensions) return RewriteOutcome::not_matched();
  std::vector<int32_t> merged;  // the first input dimension of each run, in the order of the output
  int32_t last = -2;
  std::vector<int32_t> sizes(static_cast<size_t>(in.rank()), 0);
  for (const int32_t dimension : std::get<TransposeAttr>(node.attributes).permutation) {
    if (in.dim(dimension) == 1) continue;
    // Dimensions of size 1 between two neighbors do not separate them.
    bool follows = last >= 0 && dimension > last;
    for (int32_t d = last + 1; follows && d < dimension; ++d) follows = in.dim(d) == 1;
    if (!follows) {
      merged.push_back(dimension);
      sizes[static_cast<size_t>(dimension)] = 1;
    }
    sizes[static_cast<size_t>(merged.back())] *= in.dim(dimension);
    last = dimension;
  }
  if (merged.empty()) {
    merged = {0};
    sizes[0] = 1;
  }
  if (merged.size() > kMostDimensions) {
    return RewriteOutcome::declined("it moves " + std::to_string(merged.size()) + " separate dimensions");
  }
  std::vector<int32_t> order = merged, dims, permutation, moved;
  std::ranges::sort(order);
  for (const int32_t dimension : order) dims.push_back(sizes[static_cast<size_t>(dimension)]);
  for (const int32_t dimension : merged) {
    permutation.push_back(static_cast<int32_t>(std::ranges::find(order, dimension) - order.begin()));
    moved.push_back(sizes[static_cast<size_t>(dimension)]);
  }
  const ValueId out = node.outputs[0];
  Value value = graph.value(out);
  value.name += "/merged";
  value.shape = Shape(moved);
  Node transpose = node;
  transpose.attributes = TransposeAttr{permutation};
  transpose.inputs = {add_reshape(graph, node.inputs[0], Shape(dims), id)};
  transpose.outputs = {graph.add_value(std::move(value))};
  const ValueId between = transpose.outputs[0];
  graph.add_node(std::move(transpose), id);
  Node reshape;
  reshape.op = OpType::kReshape;
  reshape.attributes = ReshapeAttr{graph.value(out).shape};
  reshape.inputs = {between};
  rewriting::replace_node(graph, id, std::move(reshape));
  return RewriteOutcome::applied();
}

// Replaces an average over the whole image by a mean over rows and columns, which has a specialized kernel.

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

// Replaces a convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND by a dilated one.

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
  if (has_more_operands(graph.node(conv))) {
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

// Moves an enlargement after a 1×1 convolution. The weights of bilinear interpolation add up to one, so both orders
// give the same results apart from rounding, biases included, and the convolution has fewer pixels to compute.

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
  if (has_more_operands(conv)) {
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

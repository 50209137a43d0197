#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "graph/analyses.h"
#include "graph/operator_table.h"

namespace sightglass {

namespace {

// Where a dimension comes from. Its axis is unknown until an operator defines it, perhaps one further down the graph.
using Origin = int32_t;

struct Part {
  Origin origin = 0;
  int32_t size = 1;
};
using Dim = std::vector<Part>;  // merged from these, major first; empty for size 1
using Dims = std::vector<Dim>;

int64_t size_of(std::span<const Part> parts) {
  int64_t size = 1;
  for (const Part& part : parts) size *= part.size;
  return size;
}

class Axes {
 public:
  explicit Axes(const Graph& graph) : graph_(graph), dims_(graph.value_count()) {
    for (ValueId id = 0; id < static_cast<ValueId>(graph.value_count()); ++id) {
      if (graph.value(id).producer == kNone) of(id) = unknown(graph.value(id).shape);
    }
    for (const ValueId id : graph.inputs) define_color(of(id), shape_of(id));
    for (const NodeId id : graph.order()) follow(graph.node(id));
  }

  ValueAxes result(ValueId id) const {
    ValueAxes result;
    for (const Dim& dim : dims_[static_cast<size_t>(id)]) {
      result.emplace_back();
      for (const Part& part : dim) result.back().push_back({axis_of(part.origin), part.size});
    }
    return result;
  }

 private:
  Dims& of(ValueId id) { return dims_[static_cast<size_t>(id)]; }
  const Shape& shape_of(ValueId id) const { return graph_.value(id).shape; }
  Axis axis_of(Origin origin) const { return axes_[static_cast<size_t>(origin)]; }

  Origin make_origin(Axis axis = Axis::kUnknown) {
    axes_.push_back(axis);
    return static_cast<Origin>(axes_.size()) - 1;
  }
  Dim make_dim(int32_t size, Axis axis = Axis::kUnknown) { return size == 1 ? Dim{} : Dim{{make_origin(axis), size}}; }
  Dims unknown(const Shape& shape) {
    Dims dims;
    for (const int32_t size : shape.dims()) dims.push_back(make_dim(size));
    return dims;
  }

  void define(const Dim& dim, Axis axis) {
    if (dim.size() != 1) return;
    Axis& defined = axes_[static_cast<size_t>(dim[0].origin)];
    if (defined == Axis::kUnknown) defined = axis;
  }
  void define(const Dims& dims) {
    constexpr Axis kImage[] = {Axis::kBatch, Axis::kRows, Axis::kColumns, Axis::kChannels};
    if (dims.size() != std::size(kImage)) return;
    for (size_t i = 0; i < dims.size(); ++i) define(dims[i], kImage[i]);
  }
  // An input of one image has 3 or 4 channels. Its order is known if only one dimension can be that.
  void define_color(const Dims& dims, const Shape& shape) {
    constexpr Axis kFirst[] = {Axis::kChannels, Axis::kRows, Axis::kColumns};
    constexpr Axis kLast[] = {Axis::kRows, Axis::kColumns, Axis::kChannels};
    const int rank = shape.rank(), first = rank - 3;
    const auto is_color = [&](int d) { return shape.dim(d) == 3 || shape.dim(d) == 4; };
    if (rank < 3 || rank > 4 || (rank == 4 && shape.dim(0) != 1) || is_color(first) == is_color(rank - 1)) return;
    for (int i = 0; i < 3; ++i) {
      define(dims[static_cast<size_t>(first + i)], is_color(first) ? kFirst[i] : kLast[i]);
    }
  }
  Dims image(const Shape& shape) {
    Dims dims = unknown(shape);
    define(dims);
    return dims;
  }

  // A dimension of another size, such as that of a slice.
  Dim resized(const Dim& dim, int32_t size) {
    if (size == 1) return {};
    if (size_of(dim) == size) return dim;
    if (dim.size() == 1) return {{dim[0].origin, size}};
    const bool channels = !dim.empty() && std::ranges::all_of(dim, [&](const Part& part) {
      return axis_of(part.origin) == Axis::kChannels;
    });
    return make_dim(size, channels ? Axis::kChannels : Axis::kUnknown);
  }
  Dims resized(const Dims& dims, const Shape& shape) {
    if (std::cmp_not_equal(dims.size(), shape.rank())) return unknown(shape);
    Dims result;
    for (size_t i = 0; i < dims.size(); ++i) result.push_back(resized(dims[i], shape.dim(static_cast<int>(i))));
    return result;
  }

  Dims reshaped(const Dims& dims, const Shape& shape);
  Dims broadcast(const Node& node, const Shape& shape, size_t first);
  Dims transformed(const Node& node, size_t output);
  void follow(const Node& node);

  const Graph& graph_;
  std::vector<Dims> dims_;  // by value
  std::vector<Axis> axes_;  // by origin
};

// Merges and splits in row-major order.
Dims Axes::reshaped(const Dims& dims, const Shape& shape) {
  std::vector<Part> parts;
  for (const Dim& dim : dims) parts.insert(parts.end(), dim.begin(), dim.end());
  std::ranges::reverse(parts);  // the next one is at the end
  Dims result;
  for (const int32_t size : shape.dims()) {
    Dim dim;
    int64_t left = size;
    while (left > 1 && !parts.empty()) {
      const Part part = parts.back();
      parts.pop_back();
      if (left % part.size == 0) {
        dim.push_back(part);
        left /= part.size;
      } else if (part.size % left == 0) {
        // Pieces of rows or columns are neither.
        const Axis axis = axis_of(part.origin) == Axis::kChannels ? Axis::kChannels : Axis::kUnknown;
        dim.push_back({make_origin(axis), static_cast<int32_t>(left)});
        parts.push_back({make_origin(axis), static_cast<int32_t>(part.size / left)});
        left = 1;
      } else {
        return unknown(shape);
      }
    }
    if (left != 1) return unknown(shape);
    result.push_back(std::move(dim));
  }
  return result;
}

// Dimensions of operands that broadcast: of the first operand that has the size.
Dims Axes::broadcast(const Node& node, const Shape& shape, size_t first) {
  Dims result(static_cast<size_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    std::optional<Dim> found;
    for (size_t operand = first; operand < node.inputs.size() && !found; ++operand) {
      const ValueId id = node.inputs[operand];
      if (id == kNone || graph_.is_constant(id)) continue;
      const int own = i - (shape.rank() - shape_of(id).rank());
      if (own >= 0 && shape_of(id).dim(own) == shape.dim(i)) found = of(id)[static_cast<size_t>(own)];
    }
    result[static_cast<size_t>(i)] = found ? *found : make_dim(shape.dim(i));
  }
  return result;
}

Dims Axes::transformed(const Node& node, size_t output) {
  const Shape& shape = shape_of(node.outputs[output]);
  const Dims& in = of(node.inputs[0]);
  const Shape& from = shape_of(node.inputs[0]);
  if (operators::has(node.op, operators::kKeepsDimensions) || operators::has(node.op, operators::kUnary)) {
    return resized(in, shape);
  }
  if (operators::has(node.op, operators::kReduces)) {
    const auto& attr = std::get<ReduceAttr>(node.attributes);
    Dims left;
    for (size_t i = 0; i < in.size(); ++i) {
      const bool reduced = std::ranges::find(attr.axes, static_cast<int32_t>(i)) != attr.axes.end();
      if (!reduced) left.push_back(in[i]);
      if (reduced && attr.keep_dims) left.emplace_back();
    }
    return left;
  }
  switch (node.op) {
    case OpType::kReshape:
      return reshaped(in, shape);
    case OpType::kTranspose: {
      Dims moved;
      for (const int32_t dim : std::get<TransposeAttr>(node.attributes).permutation) {
        moved.push_back(in[static_cast<size_t>(dim)]);
      }
      return moved;
    }
    case OpType::kStridedSlice: {
      const auto& attr = std::get<StridedSliceAttr>(node.attributes);
      const Shape sliced(std::span(attr.size).first(static_cast<size_t>(from.rank())));
      return reshaped(resized(in, sliced), shape);
    }
    case OpType::kSplit: {
      const auto& attr = std::get<SplitAttr>(node.attributes);
      Shape part = from;
      part.set_dim(attr.axis, attr.sizes[output]);
      return reshaped(resized(in, part), shape);
    }
    case OpType::kGather: {
      const auto& attr = std::get<GatherAttr>(node.attributes);
      if (shape_of(node.inputs[1]).elements() != 1 && shape_of(node.inputs[1]).rank() != 1) return unknown(shape);
      Shape part = from;
      part.set_dim(attr.axis, static_cast<int32_t>(shape_of(node.inputs[1]).elements()));
      return attr.batch_dims == 0 ? reshaped(resized(in, part), shape) : unknown(shape);
    }
    case OpType::kArgMax:
    case OpType::kArgMin: {
      Dims left = in;
      left.erase(left.begin() + std::get<ArgAttr>(node.attributes).axis);
      return left;
    }
    case OpType::kPack: {
      Dims with = in;
      const auto axis = static_cast<size_t>(std::get<ConcatAttr>(node.attributes).axis);
      with.insert(with.begin() + static_cast<std::ptrdiff_t>(axis), make_dim(shape.dim(static_cast<int>(axis))));
      return with;
    }
    case OpType::kFullyConnected:
    case OpType::kBatchMatmul: {
      // Mixes the last dimension.
      Dims mixed = resized(in, shape);
      if (!mixed.empty()) mixed.back() = make_dim(shape.dim(shape.rank() - 1), Axis::kChannels);
      return mixed;
    }
    case OpType::kSelect:
      return broadcast(node, shape, 1);
    case OpType::kBroadcastTo:
      return broadcast(node, shape, 0);
    default:
      break;
  }
  const bool two = operators::has(node.op, operators::kBinary) || operators::has(node.op, operators::kCompares);
  return two ? broadcast(node, shape, 0) : unknown(shape);
}

void Axes::follow(const Node& node) {
  const bool defines =
      operators::has(node.op, operators::kReadsImages) && !node.inputs.empty() && node.inputs[0] != kNone;
  if (defines) define(of(node.inputs[0]));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId out = node.outputs[i];
    const Shape& shape = shape_of(out);
    Dims dims = defines                                          ? image(shape)
                : node.inputs.empty() || node.inputs[0] == kNone ? unknown(shape)
                                                                 : transformed(node, i);
    if (std::cmp_not_equal(dims.size(), shape.rank())) dims = unknown(shape);
    of(out) = std::move(dims);
  }
}

}  // namespace

std::vector<ValueAxes> axes_of_values(const Graph& graph) {
  const Axes axes(graph);
  std::vector<ValueAxes> result;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.value_count()); ++id) result.push_back(axes.result(id));
  return result;
}

namespace {

// How to move a value to an image: its dimensions, split, and their order in the image.
struct Arrangement {
  Shape split;
  std::vector<int32_t> permutation;  // image dimension i is dimension permutation[i] of `split`
  bool merged = false;               // rows and columns are in one dimension

  Shape image() const {
    Shape shape = split;
    for (int i = 0; i < shape.rank(); ++i) shape.set_dim(i, split.dim(permutation[static_cast<size_t>(i)]));
    return shape;
  }
  bool moves() const { return !std::ranges::is_sorted(permutation); }
};

bool holds(const std::vector<AxisPart>& dim, Axis axis) {
  return std::ranges::find(dim, axis, &AxisPart::axis) != dim.end();
}

// Rows or columns of subpixels: their factor, or 0 if the dimension is something else.
int32_t subpixels(const std::vector<AxisPart>& dim, Axis axis) {
  if (dim.size() == 1 && dim[0].axis == axis) return 1;
  const bool are = dim.size() == 2 && dim[0].axis == axis && dim[1].axis == Axis::kChannels;
  return are ? dim[1].size : 0;
}

// The dimensions with subpixels as one part each. Nothing if channels were merged with rows or columns otherwise.
std::optional<std::vector<AxisPart>> flat_parts(const ValueAxes& axes) {
  std::vector<AxisPart> parts;
  int32_t factor_y = 0, factor_x = 0;
  for (const std::vector<AxisPart>& dim : axes) {
    const bool rows = holds(dim, Axis::kRows), columns = holds(dim, Axis::kColumns);
    if (rows != columns && dim.size() > 1) {
      int32_t& factor = rows ? factor_y : factor_x;
      factor = subpixels(dim, rows ? Axis::kRows : Axis::kColumns);
      if (factor == 0) return std::nullopt;
      parts.push_back({dim[0].axis, dim[0].size * dim[1].size});
    } else {
      parts.insert(parts.end(), dim.begin(), dim.end());
    }
  }
  return factor_y == factor_x ? std::optional(parts) : std::nullopt;
}

// Nothing unless the dimensions are rows, columns and at most one dimension of channels.
std::optional<Arrangement> arrangement_of(const ValueAxes& axes) {
  const std::optional<std::vector<AxisPart>> parts = flat_parts(axes);
  if (!parts || parts->size() < 2 || parts->size() > 3) return std::nullopt;
  const auto place = [&](Axis axis) {
    const auto found = std::ranges::find(*parts, axis, &AxisPart::axis);
    return static_cast<int32_t>(found - parts->begin()) + 1;  // after the batch
  };
  const auto count = static_cast<int32_t>(parts->size());
  const int32_t rows = place(Axis::kRows), columns = place(Axis::kColumns), channels = place(Axis::kChannels);
  if (rows > count || columns > count || (count == 3 && channels > count)) return std::nullopt;
  Arrangement result;
  std::vector<int32_t> split{1};
  for (const AxisPart& part : *parts) split.push_back(part.size);
  if (count == 2) split.push_back(1);
  result.split = Shape(split);
  result.permutation = {0, rows, columns, channels};
  result.merged =
      std::ranges::any_of(axes, [](const auto& dim) { return holds(dim, Axis::kRows) && holds(dim, Axis::kColumns); });
  return result;
}

bool is_color(int32_t channels) { return channels == 3 || channels == 4; }

// A new value like `like`, of that shape.
ValueId add_like(Graph& graph, ValueId like, const Shape& shape) {
  Value value = graph.value(like);
  value.shape = shape;
  value.constant.reset();
  return graph.add_value(std::move(value));
}

Node transpose(ValueId from, ValueId to, std::vector<int32_t> permutation) {
  Node node;
  node.op = OpType::kTranspose;
  node.attributes = TransposeAttr{std::move(permutation)};
  node.inputs = {from};
  node.outputs = {to};
  return node;
}

Node reshape(ValueId from, ValueId to, const Shape& shape) {
  Node node;
  node.op = OpType::kReshape;
  node.attributes = ReshapeAttr{shape};
  node.inputs = {from};
  node.outputs = {to};
  return node;
}

void arrange_output(Graph& graph, size_t index, const Arrangement& arrangement) {
  ValueId value = graph.outputs[index];
  const ValueId original = value;
  if (graph.value(value).shape != arrangement.split) {
    const ValueId split = add_like(graph, original, arrangement.split);
    graph.add_node(reshape(value, split, arrangement.split));
    value = split;
  }
  if (arrangement.moves()) {
    const ValueId image = add_like(graph, original, arrangement.image());
    graph.add_node(transpose(value, image, arrangement.permutation));
    value = image;
  }
  graph.outputs[index] = value;
}

void arrange_input(Graph& graph, size_t index, const Arrangement& arrangement) {
  const ValueId original = graph.inputs[index];
  const NodeId first = graph.order().empty() ? kNone : graph.order().front();
  const ValueId image = add_like(graph, original, arrangement.image());
  std::vector<int32_t> back(arrangement.permutation.size());
  for (size_t i = 0; i < back.size(); ++i) {
    back[static_cast<size_t>(arrangement.permutation[i])] = static_cast<int32_t>(i);
  }
  const bool splits = graph.value(original).shape != arrangement.split;
  const uint32_t open = splits ? 0 : graph.value(original).open_dims;
  graph.value(image).open_dims = 0;
  for (size_t i = 0; i < back.size(); ++i) {
    if ((open >> arrangement.permutation[i] & 1U) != 0) graph.value(image).open_dims |= 1U << i;
  }
  ValueId value = image;
  if (arrangement.moves()) {
    const ValueId split = splits ? add_like(graph, original, arrangement.split) : original;
    graph.add_node(transpose(image, split, std::move(back)), first);
    value = split;
  }
  if (splits) graph.add_node(reshape(value, original, graph.value(original).shape), first);
  graph.inputs[index] = image;
}

bool is_image(const Shape& shape) {
  return shape.rank() == 4 && shape.dim(0) == 1 && shape.dim(1) > 1 && shape.dim(2) > 1;
}

// As the file has it already.
bool is_in_order(const Shape& shape, const Arrangement& arrangement) {
  return !arrangement.moves() && shape == arrangement.split;
}

}  // namespace

void arrange_images(Graph& graph, ImageOrder order) {
  if (order == ImageOrder::kAsInFile) return;
  const std::vector<ValueAxes> axes = axes_of_values(graph);
  const auto of = [&](ValueId id) { return arrangement_of(axes[static_cast<size_t>(id)]); };
  if (order == ImageOrder::kArranged) {
    bool has_image = false;
    for (const bool merged : {false, true}) {
      for (size_t i = 0; i < graph.outputs.size() && !(merged && has_image); ++i) {
        const ValueId output = graph.outputs[i];
        if (static_cast<size_t>(output) >= axes.size() || graph.is_constant(output)) continue;  // arranged above
        const Shape& shape = graph.value(output).shape;
        const std::optional<Arrangement> found = of(output);
        if (found && found->merged == merged && !is_in_order(shape, *found)) arrange_output(graph, i, *found);
      }
      has_image = std::ranges::any_of(graph.outputs, [&](ValueId id) { return is_image(graph.value(id).shape); });
    }
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Shape& shape = graph.value(graph.inputs[i]).shape;
    const std::optional<Arrangement> found = of(graph.inputs[i]);
    if (found && is_color(found->image().dim(3)) && !is_in_order(shape, *found)) arrange_input(graph, i, *found);
  }
}

}  // namespace sightglass

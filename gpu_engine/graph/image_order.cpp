#include "graph/image_order.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/axes.h"

namespace sightglass {

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

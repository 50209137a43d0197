// Elementwise operators with options, and operators whose results follow from shapes and constants.
#include <algorithm>
#include <array>
#include <cmath>

#include "tflite/decoders.h"

namespace sightglass::tflite {
namespace {

// For integer results, int32 or int64.
template <typename T>
void store(std::span<const double> numbers, HostTensor& tensor) {
  std::ranges::transform(numbers, tensor.as<T>().begin(), [](double v) { return static_cast<T>(v); });
}

Result<Shape> shape_operand(const OperatorView& view, size_t input) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                              view.integers(input, "shape's numbers", Shape::kMaxRank));
  return narrow_shape(dims);
}

Shape shape_without(const Shape& shape, const ReduceAttr& attr) {
  std::vector<int32_t> dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (attr.keep_dims || std::ranges::find(attr.axes, d) == attr.axes.end()) dims.push_back(shape.dim(d));
  }
  return Shape(dims);
}

}  // namespace

Status decode_reduction(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ReducerOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, view.integers(1, "axes", size_t{2} * Shape::kMaxRank));
  const int rank = view.shape(0).rank();
  ReduceAttr attr;
  attr.keep_dims = options != nullptr && options->keep_dims();
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return invalid_model("its axis " + std::to_string(axis) + " does not exist in an input of shape " +
                           view.shape(0).to_string());
    }
    attr.axes.push_back(static_cast<int32_t>(axis < 0 ? axis + rank : axis));
  }
  std::ranges::sort(attr.axes);
  attr.axes.erase(std::unique(attr.axes.begin(), attr.axes.end()), attr.axes.end());
  node.data = {0};
  const auto single = [&](int32_t axis) { return view.shape(0).dim(axis) == 1; };
  if (std::ranges::all_of(attr.axes, single)) {  // of single elements
    node.op = OpType::kReshape;
    node.attributes = ReshapeAttr{shape_without(view.shape(0), attr)};
    return {};
  }
  node.attributes = attr;
  return {};
}

// The output declares whether indices are int32 or int64.
Status decode_arg_extreme(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, view.integers(1, "axis", 1));
  const int rank = view.shape(0).rank();
  if (axis.size() != 1 || axis[0] < -rank || axis[0] >= rank) {
    return invalid_model("its axis does not exist in an input of shape " + view.shape(0).to_string());
  }
  node.attributes = ArgAttr{static_cast<int32_t>(axis[0] < 0 ? axis[0] + rank : axis[0])};
  node.data = {0};
  return {};
}

Status decode_top_k(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> count, view.integers(1, "number of elements to select", 1));
  if (count.size() != 1 || count[0] < 0 || count[0] > INT32_MAX) {
    return invalid_model("its number of elements to select is not one nonnegative number");
  }
  node.attributes = TopKAttr{static_cast<int32_t>(count[0])};
  node.data = {0};
  node.outputs = {0, 1};
  return {};
}

Status decode_leaky_relu(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::LeakyReluOptions>());
  if (!std::isfinite(options->alpha())) return invalid_model("its alpha is not a finite number");
  node.attributes = LeakyReluAttr{options->alpha()};
  return {};
}

Status decode_gelu(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::GeluOptions>());
  node.attributes = GeluAttr{options != nullptr && options->approximate()};
  return {};
}

// The condition has the shape of the data, one bool, or one per row of the data.
Status decode_select(const OperatorView& view, DecodedOp& node) {
  const Shape &condition = view.shape(0), &data = view.shape(1);
  const bool alike = condition == data || condition.elements() == 1;
  node.attributes = SelectAttr{!alike};
  return {};
}

Status decode_select_v2(const OperatorView&, DecodedOp& node) {
  node.attributes = SelectAttr{};
  return {};
}

Status decode_broadcast_to(const OperatorView& view, DecodedOp& node) {
  BroadcastToAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.shape, shape_operand(view, 1));
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_fill(const OperatorView& view, DecodedOp& node) {
  BroadcastToAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.shape, shape_operand(view, 0));
  if (view.shape(1).elements() != 1) {
    return invalid_model("its value " + view.input(1).describe() + " of shape " + view.shape(1).to_string() +
                         " is not one number");
  }
  node.attributes = attr;
  node.data = {1};
  return {};
}

Status decode_shape(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ShapeOptions>());
  const bool wide = options != nullptr && options->out_type() == schema::TensorType::INT64;
  const std::span<const int32_t> dims = view.shape(0).dims();
  node.result = HostTensor(wide ? DataType::kInt64 : DataType::kInt32, {static_cast<int32_t>(dims.size())});
  const std::vector<double> numbers(dims.begin(), dims.end());
  wide ? store<int64_t>(numbers, *node.result) : store<int32_t>(numbers, *node.result);
  node.data = {};
  return {};
}

Status decode_rank(const OperatorView& view, DecodedOp& node) {
  node.result = HostTensor(DataType::kInt32, Shape());
  node.result->as<int32_t>()[0] = view.shape(0).rank();
  node.data = {};
  return {};
}

Status decode_range(const OperatorView& view, DecodedOp& node) {
  constexpr double kMost = 1 << 20;
  constexpr std::array kNames{"start", "limit", "step"};
  std::array<double, 3> bounds{};
  for (size_t i = 0; i < bounds.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<double> number, view.numbers(i, kNames[i], 1));
    if (number.size() != 1 || !std::isfinite(number[0])) {
      return invalid_model(std::string("its ") + kNames[i] + " is not one finite number");
    }
    bounds[i] = number[0];
  }
  const auto [start, limit, step] = bounds;
  if (step == 0 || (limit - start) / step < 0) {
    return invalid_model("its range from " + std::to_string(start) + " to " + std::to_string(limit) + " in steps of " +
                         std::to_string(step) + " never ends");
  }
  const double count = std::ceil((limit - start) / step);
  if (count > kMost)
    return unsupported("its range has more than " + std::to_string(static_cast<int64_t>(kMost)) +
                       " numbers; put them into the model as a constant");
  const DataType type = view.input(0).constant->type;
  if (view.input(1).constant->type != type || view.input(2).constant->type != type) {
    return invalid_model("its start, limit and step are not of one type");
  }
  std::vector<double> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = start + static_cast<double>(i) * step;
  node.result = HostTensor(type, {static_cast<int32_t>(count)});
  if (type == DataType::kFloat32) store<float>(numbers, *node.result);
  if (type == DataType::kInt32) store<int32_t>(numbers, *node.result);
  if (type == DataType::kInt64) store<int64_t>(numbers, *node.result);
  node.data = {};
  return {};
}

}  // namespace sightglass::tflite

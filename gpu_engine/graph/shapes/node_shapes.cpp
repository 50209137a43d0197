#include "graph/shapes/node_shapes.h"

#include <algorithm>
#include <array>

namespace sightglass {

std::string NodeShapes::subject() const {
  std::string text = node_.origin.empty() ? std::string(to_string(node_.op)) : node_.origin;
  if (!node_.outputs.empty()) text += " (output " + quote(graph_.value(node_.outputs[0]).name) + ")";
  return text;
}

Status NodeShapes::wrong(const std::string& what) const { return invalid_model(subject() + ": " + what); }

Status NodeShapes::wrong_input(size_t input, const std::string& what) const {
  return wrong("input " + quote(graph_.value(node_.inputs[input]).name) + " of shape " + shape(input).to_string() +
               " " + what);
}

Status NodeShapes::need_inputs(size_t least, size_t most) const {
  if (node_.inputs.size() < least || node_.inputs.size() > most) {
    return wrong("it has " + std::to_string(node_.inputs.size()) + " inputs, but takes " + std::to_string(least) +
                 (most == least ? "" : " to " + std::to_string(most)));
  }
  for (size_t i = 0; i < least; ++i) {
    if (!has(i)) return wrong("input " + std::to_string(i) + " is missing");
  }
  return {};
}

Status NodeShapes::need_rank(size_t input, int rank) const {
  if (shape(input).rank() == rank) return {};
  return wrong_input(input, "needs " + std::to_string(rank) + " dimensions");
}

Status NodeShapes::need_bias_and_slope(int32_t channels) const {
  if (has(2) && shape(2).elements() != channels) {
    return wrong_input(2, "is not a bias of " + std::to_string(channels) + " channels");
  }
  if (node_.activation != Activation::kPrelu) return {};
  if (!has(3)) return wrong("its activation prelu needs slopes, which are missing");
  if (shape(3).elements() == channels) return {};
  return wrong_input(3, "has no slope for each of " + std::to_string(channels) + " channels");
}

Result<Shape> NodeShapes::make(std::span<const int64_t> dims) const {
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

Result<std::array<int64_t, 2>> NodeShapes::slide(const Window& window, const std::array<int64_t, 2>& in,
                                                 Padding2d& padding) const {
  const auto along = [&](size_t d, int32_t& before, int32_t& after) -> Result<int64_t> {
    const std::string axis = d == 0 ? "height" : "width";
    const int64_t filter = window.filter[d], stride = window.stride[d], dilation = window.dilation[d];
    if (filter < 1 || stride < 1 || dilation < 1) {
      return wrong("filter, stride and dilation must be at least 1, but its " + axis + "s are " +
                   std::to_string(filter) + ", " + std::to_string(stride) + " and " + std::to_string(dilation));
    }
    const int64_t extent = (filter - 1) * dilation + 1;
    if (padding.mode == PaddingMode::kSame) {
      const int64_t out = (in[d] + stride - 1) / stride;
      const int64_t total = std::max<int64_t>((out - 1) * stride + extent - in[d], 0);
      if (total > kMaxElements) return wrong("its window is too large");
      before = static_cast<int32_t>(total / 2);
      after = static_cast<int32_t>(total - total / 2);
      return out;
    }
    if (padding.mode == PaddingMode::kValid) before = after = 0;
    if (before < 0 || after < 0) return wrong("its padding is negative");
    const int64_t padded = in[d] + before + after;
    if (padded < extent) {
      return wrong("a window of " + axis + " " + std::to_string(extent) + " does not fit an input of " +
                   std::to_string(padded));
    }
    return (padded - extent) / stride + 1;
  };
  SIGHTGLASS_ASSIGN_OR_RETURN(const int64_t rows, along(0, padding.top, padding.bottom));
  SIGHTGLASS_ASSIGN_OR_RETURN(const int64_t columns, along(1, padding.left, padding.right));
  return std::array{rows, columns};
}

Result<Shape> NodeShapes::broadcast(const Shape& a, const Shape& b, const std::string& inputs) const {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {  // from the last dimension
    const int32_t da = i < a.rank() ? a.dim(a.rank() - 1 - i) : 1;
    const int32_t db = i < b.rank() ? b.dim(b.rank() - 1 - i) : 1;
    if (da != db && da != 1 && db != 1) {
      return wrong("the shapes " + a.to_string() + " and " + b.to_string() + " of " + inputs + " cannot be broadcast");
    }
    dims[static_cast<size_t>(rank - 1 - i)] = da == 1 ? db : da;
  }
  return make(dims);
}

Result<Shape> NodeShapes::broadcast(size_t a, size_t b) const {
  return broadcast(
      shape(a), shape(b),
      "its inputs " + quote(graph_.value(node_.inputs[a]).name) + " and " + quote(graph_.value(node_.inputs[b]).name));
}

}  // namespace sightglass

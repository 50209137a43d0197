#include "tflite/slice_bounds.h"

#include <algorithm>
#include <limits>
#include <string>

namespace sightglass::tflite {
namespace {

bool bit(int32_t mask, size_t i) { return (static_cast<uint32_t>(mask) >> i & 1u) != 0; }

struct Range {
  int64_t begin = 0, stride = 1, size = 0;
};

// Position `i` of the expression on a dimension of `dim` elements. Negative bounds count from the end. Both bounds are
// then clamped to valid start and end positions for the direction of the stride.
Result<Range> resolve_range(const SliceBounds& bounds, size_t i, int64_t dim) {
  Range range{bounds.begin[i], bounds.stride[i], 0};
  if (range.stride == 0) return invalid_model("stride " + std::to_string(i) + " is 0");
  const bool forward = range.stride > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? dim : dim - 1;
  const auto clamped = [&](int64_t bound) { return std::clamp(bound < 0 ? bound + dim : bound, low, high); };

  range.begin = bit(bounds.begin_mask, i) ? (forward ? 0 : dim - 1) : clamped(range.begin);
  if (bit(bounds.shrink_axis_mask, i)) {
    if (range.begin < 0 || range.begin >= dim) {
      return invalid_model("index " + std::to_string(bounds.begin[i]) + " is outside a dimension of " +
                           std::to_string(dim));
    }
    range.stride = 1;
    range.size = 1;
    return range;
  }
  const int64_t stated = bounds.end_is_offset ? bounds.end[i] + range.begin : bounds.end[i];
  const int64_t end = bit(bounds.end_mask, i) ? (forward ? dim : -1) : clamped(stated);
  const int64_t distance = forward ? end - range.begin : range.begin - end;
  const int64_t step = forward ? range.stride : -range.stride;
  range.size = std::max<int64_t>(0, (distance + step - 1) / step);
  return range;
}

}  // namespace

Result<StridedSliceAttr> resolve_slice(const SliceBounds& bounds, const Shape& input) {
  const size_t count = bounds.begin.size();
  if (bounds.end.size() != count || bounds.stride.size() != count) {
    return invalid_model("begin, end and strides must have the same length");
  }
  for (const auto* list : {&bounds.begin, &bounds.end, &bounds.stride}) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (std::ranges::any_of(*list, [](int64_t v) { return v < -kMost - 1 || v > kMost; })) {
      return invalid_model("begin, end and strides must fit into 32 bits");
    }
  }
  const auto rank = static_cast<size_t>(input.rank());
  size_t taken = 0;
  int ellipses = 0;
  for (size_t i = 0; i < count; ++i) {
    if (bit(bounds.ellipsis_mask, i)) {
      ++ellipses;
    } else if (!bit(bounds.new_axis_mask, i)) {
      ++taken;
    }
  }
  if (ellipses > 1) return invalid_model("more than one ellipsis");
  if (taken > rank) {
    return invalid_model("slices " + std::to_string(taken) + " dimensions of an input of shape " + input.to_string());
  }

  StridedSliceAttr attr;
  std::vector<int32_t> shape;
  size_t axis = 0;
  const auto take_whole = [&](size_t dims) {
    for (size_t k = 0; k < dims; ++k, ++axis) {
      attr.stride[axis] = 1;
      attr.size[axis] = input.dim(static_cast<int>(axis));
      shape.push_back(attr.size[axis]);
    }
  };
  for (size_t i = 0; i < count; ++i) {
    if (bit(bounds.ellipsis_mask, i)) {
      take_whole(rank - taken);
    } else if (bit(bounds.new_axis_mask, i)) {
      shape.push_back(1);
    } else {
      const int32_t dim = input.dim(static_cast<int>(axis));
      SIGHTGLASS_ASSIGN_OR_RETURN(const Range range, resolve_range(bounds, i, dim));
      if (range.size == 0)
        return unsupported("slice of dimension " + std::to_string(axis) + " is empty; leave it out of the model");
      attr.begin[axis] = static_cast<int32_t>(range.begin);
      attr.stride[axis] = static_cast<int32_t>(range.stride);
      attr.size[axis] = static_cast<int32_t>(range.size);
      if (!bit(bounds.shrink_axis_mask, i)) shape.push_back(attr.size[axis]);
      ++axis;
    }
  }
  take_whole(rank - axis);
  if (shape.size() > Shape::kMaxRank)
    return unsupported("slice has rank " + std::to_string(shape.size()) + "; join some dimensions first");
  attr.shape = Shape(std::span<const int32_t>(shape));
  return attr;
}

}  // namespace sightglass::tflite

// Operators that move elements about: their parameters are resolved against the shape of the input.
#include <algorithm>

#include "tflite/import_options.h"

namespace sightglass::tflite {
namespace {

std::string text(int64_t number) { return std::to_string(number); }

// A dimension counted from the front or, when negative, from the back.
Result<int> resolve_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return invalid_model("its axis " + text(axis) + " does not exist among " + text(rank) + " dimensions");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<Shape> narrow_shape(std::span<const int64_t> dims) {
  if (dims.size() > Shape::kMaxRank) return unsupported("its output has more than " + text(Shape::kMaxRank) + " dimensions");
  std::vector<int32_t> narrow;
  for (const int64_t d : dims) {
    if (d < 0 || d > INT32_MAX) return invalid_model("its output has a dimension of " + text(d));
    narrow.push_back(static_cast<int32_t>(d));
  }
  return Shape(narrow);
}

}  // namespace

Status decode_pad(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> paddings, op.integers(1, "paddings", 2 * Shape::kMaxRank));
  const auto rank = static_cast<size_t>(op.shape(0).rank());
  if (paddings.size() != 2 * rank) {
    return invalid_model("its paddings are " + text(static_cast<int64_t>(paddings.size())) +
                         " numbers, but an input of shape " + op.shape(0).to_string() + " needs " +
                         text(static_cast<int64_t>(2 * rank)));
  }
  PadAttr attr;
  for (size_t d = 0; d < rank; ++d) {
    for (const int64_t p : {paddings[2 * d], paddings[2 * d + 1]}) {
      if (p < 0 || p > INT32_MAX) return invalid_model("its padding of " + text(p) + " is out of range");
    }
    attr.before[d] = static_cast<int32_t>(paddings[2 * d]);
    attr.after[d] = static_cast<int32_t>(paddings[2 * d + 1]);
  }
  node.attributes = attr;
  node.data.resize(1);
  return {};
}

Status decode_pad_v2(const OperatorView& op, Decoded& node) {
  SG_RETURN_IF_ERROR(decode_pad(op, node));
  SG_ASSIGN_OR_RETURN(std::get<PadAttr>(node.attributes).value, op.number(2, "padding values"));
  return {};
}

// The new shape comes from the second input when that is a vector, else from the options.
Status decode_reshape(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, op.options<schema::ReshapeOptions>());
  std::vector<int64_t> dims;
  if (op.has(1) && op.shape(1).rank() == 1) {
    SG_ASSIGN_OR_RETURN(dims, op.integers(1, "new shape's numbers", Shape::kMaxRank));
  } else if (options != nullptr && options->new_shape() != nullptr) {
    if (options->new_shape()->size() > Shape::kMaxRank) {
      return unsupported("its new shape has more than " + text(Shape::kMaxRank) + " dimensions");
    }
    dims.assign(options->new_shape()->begin(), options->new_shape()->end());
  } else if (!op.has(1)) {
    return invalid_model("it has no new shape");
  }
  const int64_t elements = op.shape(0).elements();
  if (dims.size() == 1 && dims[0] == 0 && elements == 1) dims.clear();  // how old files write a scalar
  int64_t known = 1;
  auto open = dims.end();
  for (auto d = dims.begin(); d != dims.end(); ++d) {
    if (*d == -1 && open == dims.end()) {
      open = d;
      continue;
    }
    if (*d < 0 || *d > INT32_MAX) return invalid_model("its new shape has a dimension of " + text(*d));
    known = *d != 0 && known > INT32_MAX / *d ? int64_t{INT32_MAX} + 1 : known * *d;
  }
  if (open != dims.end()) {
    if (known == 0 || elements % known != 0) {
      return invalid_model("its input of shape " + op.shape(0).to_string() + " cannot be split into parts of " +
                           text(known) + " elements");
    }
    *open = elements / known;
  }
  ReshapeAttr attr;
  SG_ASSIGN_OR_RETURN(attr.shape, narrow_shape(dims));
  node.attributes = attr;
  node.data.resize(1);
  return {};
}

Status decode_squeeze(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, op.options<schema::SqueezeOptions>());
  const Shape& in = op.shape(0);
  const auto* squeezed = options == nullptr ? nullptr : options->squeeze_dims();
  std::vector<bool> drop(static_cast<size_t>(in.rank()), false);
  if (squeezed == nullptr || squeezed->size() == 0) {
    for (int d = 0; d < in.rank(); ++d) drop[static_cast<size_t>(d)] = in.dim(d) == 1;
  } else if (squeezed->size() > Shape::kMaxRank) {
    return invalid_model("it squeezes more dimensions than a tensor can have");
  } else {
    for (const int32_t axis : *squeezed) {
      SG_ASSIGN_OR_RETURN(const int d, resolve_axis(axis, in.rank()));
      if (in.dim(d) != 1) {
        return invalid_model("it squeezes dimension " + text(d) + " of its input of shape " + in.to_string());
      }
      drop[static_cast<size_t>(d)] = true;
    }
  }
  std::vector<int32_t> dims;
  for (int d = 0; d < in.rank(); ++d) {
    if (!drop[static_cast<size_t>(d)]) dims.push_back(in.dim(d));
  }
  node.attributes = ReshapeAttr{Shape(dims)};
  return {};
}

Status decode_expand_dims(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, op.integers(1, "axis", 1));
  if (axis.size() != 1) return invalid_model("its axis is not one number");
  const Shape& in = op.shape(0);
  if (in.rank() == Shape::kMaxRank) return unsupported("its output has more than " + text(in.rank()) + " dimensions");
  SG_ASSIGN_OR_RETURN(const int at, resolve_axis(axis[0], in.rank() + 1));
  std::vector<int32_t> dims(in.dims().begin(), in.dims().end());
  dims.insert(dims.begin() + at, 1);
  node.attributes = ReshapeAttr{Shape(dims)};
  node.data.resize(1);
  return {};
}

namespace {

// One entry of a slice specification, as far as it concerns one dimension of `size` elements.
struct SliceSpec {
  int64_t begin, end, stride;
  bool from_edge, to_edge;  // begin, end are ignored
  bool one;                 // only the element at begin; the dimension is dropped
  bool end_is_offset;       // end counts from begin
};

// Sets begin, stride and size of input dimension `d`.
Status resolve_slice(const SliceSpec& spec, int64_t dim, size_t d, StridedSliceAttr& attr) {
  if (spec.stride == 0 || spec.stride < INT32_MIN || spec.stride > INT32_MAX) {
    return invalid_model("its stride " + text(spec.stride) + " along dimension " + text(static_cast<int64_t>(d)) +
                         " is out of range");
  }
  const bool forward = spec.stride > 0;
  const int64_t lowest = forward ? 0 : -1;
  const int64_t highest = forward ? dim : dim - 1;
  const auto place = [&](int64_t index) { return std::clamp(index < 0 ? index + dim : index, lowest, highest); };
  const int64_t begin = spec.from_edge ? (forward ? 0 : dim - 1) : place(spec.begin);
  int64_t size = 0;
  if (spec.one) {
    if (!forward || begin >= dim || spec.begin < -dim || (!spec.from_edge && spec.begin >= dim)) {
      return invalid_model("it takes element " + text(spec.begin) + " of a dimension of " + text(dim));
    }
    size = 1;
  } else {
    const int64_t stop = spec.end_is_offset ? begin + spec.end : spec.end;
    const int64_t end = spec.to_edge ? (forward ? dim : -1) : place(stop);
    const int64_t distance = forward ? end - begin : begin - end;
    const int64_t step = forward ? spec.stride : -spec.stride;
    size = distance <= 0 ? 0 : (distance + step - 1) / step;
  }
  attr.begin[d] = static_cast<int32_t>(begin);
  attr.stride[d] = static_cast<int32_t>(spec.stride);
  attr.size[d] = static_cast<int32_t>(size);
  return {};
}

constexpr SliceSpec kWholeDimension{0, 0, 1, true, true, false, false};

}  // namespace

// The specification's entries walk along the input's dimensions: an ellipsis stands for as many whole dimensions as are
// left over, a new axis for none.
Status decode_strided_slice(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, op.required_options<schema::StridedSliceOptions>());
  constexpr size_t kMost = 2 * Shape::kMaxRank;
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> begins, op.integers(1, "begins", kMost));
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> ends, op.integers(2, "ends", kMost));
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> strides, op.integers(3, "strides", kMost));
  if (ends.size() != begins.size() || strides.size() != begins.size()) {
    return invalid_model("its begins, ends and strides differ in number");
  }
  const auto bit = [](int32_t mask, size_t i) { return ((static_cast<uint32_t>(mask) >> i) & 1u) != 0; };
  int takers = 0;  // entries that stand for one dimension each
  int ellipses = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    const bool ellipsis = bit(options->ellipsis_mask(), i);
    ellipses += ellipsis ? 1 : 0;
    takers += ellipsis || bit(options->new_axis_mask(), i) ? 0 : 1;
  }
  const Shape& in = op.shape(0);
  if (ellipses > 1 || takers > in.rank()) {
    return invalid_model("it slices " + text(takers) + " dimensions with " + text(ellipses) +
                         " ellipses out of an input of shape " + in.to_string());
  }

  StridedSliceAttr attr;
  std::vector<int64_t> out;
  int d = 0;
  const auto take = [&](const SliceSpec& spec) -> Status {
    SG_RETURN_IF_ERROR(resolve_slice(spec, in.dim(d), static_cast<size_t>(d), attr));
    if (!spec.one) out.push_back(attr.size[static_cast<size_t>(d)]);
    ++d;
    return {};
  };
  for (size_t i = 0; i < begins.size(); ++i) {
    if (bit(options->ellipsis_mask(), i)) {
      for (int whole = in.rank() - takers; whole > 0; --whole) SG_RETURN_IF_ERROR(take(kWholeDimension));
    } else if (bit(options->new_axis_mask(), i)) {
      out.push_back(1);
    } else {
      SG_RETURN_IF_ERROR(take({begins[i], ends[i], strides[i], bit(options->begin_mask(), i),
                               bit(options->end_mask(), i), bit(options->shrink_axis_mask(), i), options->offset()}));
    }
  }
  while (d < in.rank()) SG_RETURN_IF_ERROR(take(kWholeDimension));
  SG_ASSIGN_OR_RETURN(attr.shape, narrow_shape(out));
  node.attributes = attr;
  node.data.resize(1);
  return {};
}

Status decode_concatenation(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, op.options<schema::ConcatenationOptions>());
  if (!op.has(0)) return invalid_model("it has no first input");
  ConcatAttr attr;
  SG_ASSIGN_OR_RETURN(attr.axis, resolve_axis(options == nullptr ? 0 : options->axis(), op.shape(0).rank()));
  if (options != nullptr) {
    SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  }
  node.attributes = attr;
  return {};
}

Status decode_depth_to_space(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, op.required_options<schema::DepthToSpaceOptions>());
  node.attributes = DepthToSpaceAttr{options->block_size()};
  return {};
}

Status decode_resize_bilinear(const OperatorView& op, Decoded& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, op.options<schema::ResizeBilinearOptions>());
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> size, op.integers(1, "output sizes", 2));
  if (size.size() != 2 || std::ranges::any_of(size, [](int64_t s) { return s < 1 || s > INT32_MAX; })) {
    return invalid_model("its output size is not two positive numbers");
  }
  ResizeAttr attr;
  attr.out_h = static_cast<int32_t>(size[0]);
  attr.out_w = static_cast<int32_t>(size[1]);
  if (options != nullptr) {
    attr.align_corners = options->align_corners();
    attr.half_pixel_centers = options->half_pixel_centers();
  }
  if (attr.align_corners && attr.half_pixel_centers) {
    return invalid_model("it asks for aligned corners and for half-pixel centres, which exclude each other");
  }
  node.attributes = attr;
  node.data.resize(1);
  return {};
}

}  // namespace sightglass::tflite

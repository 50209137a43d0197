// Operators that move elements. Their parameters are resolved against the shape of the input.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tflite/operator_table.h"

namespace sightglass::tflite {

Result<int> resolve_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return invalid_model("its axis " + std::to_string(axis) + " does not exist among " + std::to_string(rank) +
                         " dimensions");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<Shape> narrow_shape(std::span<const int64_t> dims) {
  if (dims.size() > Shape::kMaxRank)
    return unsupported("its output has more than " + std::to_string(Shape::kMaxRank) + " dimensions");
  std::vector<int32_t> narrow;
  for (const int64_t d : dims) {
    if (d < 0 || d > INT32_MAX) return invalid_model("its output has a dimension of " + std::to_string(d));
    narrow.push_back(static_cast<int32_t>(d));
  }
  return Shape(narrow);
}

Status decode_pad(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> paddings,
                              view.integers(1, "paddings", size_t{2} * Shape::kMaxRank));
  const auto rank = static_cast<size_t>(view.shape(0).rank());
  if (paddings.size() != 2 * rank) {
    return invalid_model("its paddings are " + std::to_string(paddings.size()) + " numbers, but an input of shape " +
                         view.shape(0).to_string() + " needs " + std::to_string(2 * rank));
  }
  PadAttr attr;
  for (size_t d = 0; d < rank; ++d) {
    for (const int64_t p : {paddings[2 * d], paddings[2 * d + 1]}) {
      if (p < 0 || p > INT32_MAX) return invalid_model("its padding of " + std::to_string(p) + " is out of range");
    }
    attr.before[d] = static_cast<int32_t>(paddings[2 * d]);
    attr.after[d] = static_cast<int32_t>(paddings[2 * d + 1]);
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_pad_v2(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_RETURN_IF_ERROR(decode_pad(view, node));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::get<PadAttr>(node.attributes).value, view.number(2, "padding values"));
  const FileTensor &value = view.input(2), &out = view.output(0);
  const auto zero = [](const FileTensor& tensor) {
    return tensor.quantization.zero_point.empty() ? 0 : tensor.quantization.zero_point[0];
  };
  if (value.type != view.input(0).type) {
    return unsupported("its padding values " + value.describe() + " are not of the type of its data");
  }
  if (value.quantization.scale != out.quantization.scale || zero(value) != zero(out)) {
    return unsupported("its padding values " + value.describe() + " and its output " + out.describe() +
                       " have different quantizations");
  }
  return {};
}

// The new shape is the second input if that is a vector, otherwise in the options.
Status decode_reshape(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ReshapeOptions>());
  std::vector<int64_t> dims;
  if (view.has(1) && view.shape(1).rank() == 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(dims, view.integers(1, "new shape's numbers", Shape::kMaxRank));
  } else if (options != nullptr && options->new_shape() != nullptr) {
    if (options->new_shape()->size() > Shape::kMaxRank) {
      return unsupported("its new shape has more than " + std::to_string(Shape::kMaxRank) +
                         " dimensions; join some of them");
    }
    dims.assign(options->new_shape()->begin(), options->new_shape()->end());
  } else if (!view.has(1)) {
    return invalid_model("it has no new shape");
  }
  const int64_t elements = view.shape(0).elements();
  if (dims.size() == 1 && dims[0] == 0 && elements == 1) dims.clear();  // scalars in old files
  int64_t known = 1;
  auto open = dims.end();
  for (auto d = dims.begin(); d != dims.end(); ++d) {
    if (*d == -1 && open == dims.end()) {
      open = d;
      continue;
    }
    if (*d < 0 || *d > INT32_MAX) return invalid_model("its new shape has a dimension of " + std::to_string(*d));
    known = *d != 0 && known > INT32_MAX / *d ? int64_t{INT32_MAX} + 1 : known * *d;
  }
  if (open != dims.end()) {
    if (known == 0 || elements % known != 0) {
      return invalid_model("its input of shape " + view.shape(0).to_string() + " cannot be split into parts of " +
                           std::to_string(known) + " elements");
    }
    *open = elements / known;
  }
  ReshapeAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.shape, narrow_shape(dims));
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_squeeze(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::SqueezeOptions>());
  const Shape& in = view.shape(0);
  const auto* squeezed = options == nullptr ? nullptr : options->squeeze_dims();
  std::vector<bool> drop(static_cast<size_t>(in.rank()), false);
  if (squeezed == nullptr || squeezed->size() == 0) {
    for (int d = 0; d < in.rank(); ++d) drop[static_cast<size_t>(d)] = in.dim(d) == 1;
  } else if (squeezed->size() > Shape::kMaxRank) {
    return invalid_model("it squeezes more dimensions than a tensor can have");
  } else {
    for (const int32_t axis : *squeezed) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const int d, resolve_axis(axis, in.rank()));
      if (in.dim(d) != 1) {
        return invalid_model("it squeezes dimension " + std::to_string(d) + " of its input of shape " + in.to_string());
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

Status decode_expand_dims(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, view.integers(1, "axis", 1));
  if (axis.size() != 1) return invalid_model("its axis is not one number");
  const Shape& in = view.shape(0);
  if (in.rank() == Shape::kMaxRank)
    return unsupported("its output has more than " + std::to_string(in.rank()) +
                       " dimensions; join some of them first");
  SIGHTGLASS_ASSIGN_OR_RETURN(const int at, resolve_axis(axis[0], in.rank() + 1));
  std::vector<int32_t> dims(in.dims().begin(), in.dims().end());
  dims.insert(dims.begin() + at, 1);
  node.attributes = ReshapeAttr{Shape(dims)};
  node.data = {0};
  return {};
}

namespace {

// The slice expression of a STRIDED_SLICE as in the file: one entry per position. Bit i of a mask refers to position i.
struct SliceBounds {
  std::vector<int64_t> begin, end, stride;
  const schema::StridedSliceOptions& options;
};

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

  range.begin = bit(bounds.options.begin_mask(), i) ? (forward ? 0 : dim - 1) : clamped(range.begin);
  if (bit(bounds.options.shrink_axis_mask(), i)) {
    if (range.begin < 0 || range.begin >= dim) {
      return invalid_model("index " + std::to_string(bounds.begin[i]) + " is outside a dimension of " +
                           std::to_string(dim));
    }
    range.stride = 1;
    range.size = 1;
    return range;
  }
  const int64_t stated = bounds.options.offset() ? bounds.end[i] + range.begin : bounds.end[i];
  const int64_t end = bit(bounds.options.end_mask(), i) ? (forward ? dim : -1) : clamped(stated);
  const int64_t distance = forward ? end - range.begin : range.begin - end;
  const int64_t step = forward ? range.stride : -range.stride;
  range.size = std::max<int64_t>(0, (distance + step - 1) / step);
  return range;
}

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
    if (bit(bounds.options.ellipsis_mask(), i)) {
      ++ellipses;
    } else if (!bit(bounds.options.new_axis_mask(), i)) {
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
    if (bit(bounds.options.ellipsis_mask(), i)) {
      take_whole(rank - taken);
    } else if (bit(bounds.options.new_axis_mask(), i)) {
      shape.push_back(1);
    } else {
      const int32_t dim = input.dim(static_cast<int>(axis));
      SIGHTGLASS_ASSIGN_OR_RETURN(const Range range, resolve_range(bounds, i, dim));
      if (range.size == 0)
        return unsupported("slice of dimension " + std::to_string(axis) + " is empty; leave it out of the model");
      attr.begin[axis] = static_cast<int32_t>(range.begin);
      attr.stride[axis] = static_cast<int32_t>(range.stride);
      attr.size[axis] = static_cast<int32_t>(range.size);
      if (!bit(bounds.options.shrink_axis_mask(), i)) shape.push_back(attr.size[axis]);
      ++axis;
    }
  }
  take_whole(rank - axis);
  if (shape.size() > Shape::kMaxRank)
    return unsupported("slice has rank " + std::to_string(shape.size()) + "; join some dimensions first");
  attr.shape = Shape(std::span<const int32_t>(shape));
  return attr;
}

}  // namespace

Status decode_strided_slice(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::StridedSliceOptions>());
  constexpr size_t kMost = size_t{2} * Shape::kMaxRank;
  SliceBounds bounds{{}, {}, {}, *options};
  SIGHTGLASS_ASSIGN_OR_RETURN(bounds.begin, view.integers(1, "begins", kMost));
  SIGHTGLASS_ASSIGN_OR_RETURN(bounds.end, view.integers(2, "ends", kMost));
  SIGHTGLASS_ASSIGN_OR_RETURN(bounds.stride, view.integers(3, "strides", kMost));
  SIGHTGLASS_ASSIGN_OR_RETURN(node.attributes, resolve_slice(bounds, view.shape(0)));
  node.data = {0};
  return {};
}

Status decode_concatenation(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ConcatenationOptions>());
  if (!view.has(0)) return invalid_model("it has no first input");
  ConcatAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.axis, resolve_axis(options == nullptr ? 0 : options->axis(), view.shape(0).rank()));
  if (options != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  }
  node.attributes = attr;
  return {};
}

Status decode_depth_to_space(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::DepthToSpaceOptions>());
  node.attributes = BlockSizeAttr{options->block_size()};
  return {};
}

Status decode_resize_bilinear(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ResizeBilinearOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> size, view.integers(1, "output sizes", 2));
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
    return invalid_model("it has aligned corners and half-pixel centers, which exclude each other");
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

namespace {

// The values of a parameter, each in [least, INT32_MAX]; as many as dimensions of the data unless `count` is not -1.
Result<std::vector<int32_t>> sizes(const OperatorView& view, size_t input, const char* what, int64_t least,
                                   int64_t count) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers,
                              view.integers(input, what, size_t{2} * Shape::kMaxRank));
  if (static_cast<int64_t>(numbers.size()) != count) {
    return invalid_model(std::string("its ") + what + " are " + std::to_string(numbers.size()) + " numbers, not " +
                         std::to_string(count));
  }
  std::vector<int32_t> narrow;
  for (const int64_t v : numbers) {
    if (v < least || v > INT32_MAX) return invalid_model(std::string("its ") + what + " contain " + std::to_string(v));
    narrow.push_back(static_cast<int32_t>(v));
  }
  return narrow;
}

Result<int> axis_operand(const OperatorView& view, size_t input, int rank) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, view.integers(input, "axis", 1));
  if (axis.size() != 1) return invalid_model("its axis is not one number");
  return resolve_axis(axis[0], rank);
}

// Gives the node all outputs of the operator.
Status all_outputs(const OperatorView& view, size_t count, DecodedOp& node) {
  if (count != view.output_count()) {
    return invalid_model("it computes " + std::to_string(count) + " parts, but has " +
                         std::to_string(view.output_count()) + " outputs");
  }
  node.outputs.resize(count);
  std::iota(node.outputs.begin(), node.outputs.end(), size_t{0});
  return {};
}

}  // namespace

Status decode_transpose(const OperatorView& view, DecodedOp& node) {
  const int rank = view.shape(0).rank();
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<int64_t> numbers, view.integers(1, "permutation", Shape::kMaxRank));
  TransposeAttr attr;
  for (const int64_t v : numbers) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const int axis, resolve_axis(v, rank));
    attr.permutation.push_back(axis);
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_slice(const OperatorView& view, DecodedOp& node) {
  const Shape& in = view.shape(0);
  const int64_t rank = in.rank();
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> begin, sizes(view, 1, "begins", 0, rank));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> size, sizes(view, 2, "sizes", -1, rank));
  StridedSliceAttr attr;
  std::vector<int64_t> dims;
  for (size_t d = 0; d < begin.size(); ++d) {
    const int32_t dim = in.dim(static_cast<int>(d));
    const int64_t taken = size[d] == -1 ? int64_t{dim} - begin[d] : size[d];
    if (taken < 0 || begin[d] + taken > dim) {
      return invalid_model("its slice of " + std::to_string(taken) + " from " + std::to_string(begin[d]) +
                           " on exceeds dimension " + std::to_string(d) + " of its input of shape " + in.to_string());
    }
    attr.begin[d] = begin[d];
    attr.stride[d] = 1;
    attr.size[d] = static_cast<int32_t>(taken);
    dims.push_back(taken);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.shape, narrow_shape(dims));
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_split(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::SplitOptions>());
  const Shape& in = view.shape(1);
  SplitAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.axis, axis_operand(view, 0, in.rank()));
  const int32_t parts = options->num_splits();
  if (parts < 1 || in.dim(attr.axis) % parts != 0) {
    return invalid_model("dimension " + std::to_string(attr.axis) + " of its input of shape " + in.to_string() +
                         " cannot be split into " + std::to_string(parts) + " equal parts");
  }
  SIGHTGLASS_RETURN_IF_ERROR(all_outputs(view, static_cast<size_t>(parts), node));
  attr.sizes.assign(static_cast<size_t>(parts), in.dim(attr.axis) / parts);
  node.attributes = attr;
  node.data = {1};
  return {};
}

// One size may be -1: the rest.
Status decode_split_v(const OperatorView& view, DecodedOp& node) {
  const Shape& in = view.shape(0);
  SplitAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.axis, axis_operand(view, 2, in.rank()));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> parts, view.integers(1, "sizes", view.output_count()));
  SIGHTGLASS_RETURN_IF_ERROR(all_outputs(view, parts.size(), node));
  int64_t known = 0;
  int open = 0;
  for (const int64_t part : parts) {
    if (part < -1 || part > in.dim(attr.axis)) return invalid_model("it has a part of size " + std::to_string(part));
    known += part == -1 ? 0 : part;
    open += part == -1 ? 1 : 0;
  }
  if (open > 1 || known > in.dim(attr.axis)) {
    return invalid_model("its sizes leave open how dimension " + std::to_string(attr.axis) + " of its input of shape " +
                         in.to_string() + " is split");
  }
  for (const int64_t part : parts) {
    attr.sizes.push_back(static_cast<int32_t>(part == -1 ? in.dim(attr.axis) - known : part));
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_pack(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::PackOptions>());
  if (!view.has(0)) return invalid_model("it has no first input");
  if (options->values_count() < 0 || static_cast<size_t>(options->values_count()) != view.input_count()) {
    return invalid_model("it packs " + std::to_string(options->values_count()) + " tensors, but has " +
                         std::to_string(view.input_count()) + " inputs");
  }
  if (view.shape(0).rank() == Shape::kMaxRank)
    return unsupported("its output has too many dimensions; join some of them first");
  ConcatAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.axis, resolve_axis(options->axis(), view.shape(0).rank() + 1));
  node.attributes = attr;
  return {};
}

Status decode_unpack(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::UnpackOptions>());
  const Shape& in = view.shape(0);
  SplitAttr attr;
  attr.drop_axis = true;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.axis, resolve_axis(options->axis(), in.rank()));
  if (options->num() != in.dim(attr.axis)) {
    return invalid_model("it computes " + std::to_string(options->num()) + " parts of dimension " +
                         std::to_string(attr.axis) + " of its input of shape " + in.to_string());
  }
  SIGHTGLASS_RETURN_IF_ERROR(all_outputs(view, static_cast<size_t>(std::max(options->num(), 0)), node));
  attr.sizes.assign(view.output_count(), 1);
  node.attributes = attr;
  return {};
}

Status decode_tile(const OperatorView& view, DecodedOp& node) {
  TileAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.multiples, sizes(view, 1, "multiples", 0, view.shape(0).rank()));
  node.attributes = attr;
  node.data = {0};
  return {};
}

// A slice with a negative stride.
Status decode_reverse(const OperatorView& view, DecodedOp& node) {
  const Shape& in = view.shape(0);
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, view.integers(1, "axes", Shape::kMaxRank));
  StridedSliceAttr attr;
  attr.shape = in;
  for (int d = 0; d < in.rank(); ++d) {
    attr.stride[static_cast<size_t>(d)] = 1;
    attr.size[static_cast<size_t>(d)] = in.dim(d);
  }
  for (const int64_t a : axes) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const int axis, resolve_axis(a, in.rank()));
    attr.stride[static_cast<size_t>(axis)] = -1;
    attr.begin[static_cast<size_t>(axis)] = std::max(in.dim(axis) - 1, 0);
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_mirror_pad(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::MirrorPadOptions>());
  MirrorPadAttr attr;
  attr.symmetric = options->mode() == schema::MirrorPadMode::SYMMETRIC;
  if (!attr.symmetric && options->mode() != schema::MirrorPadMode::REFLECT) {
    return invalid_model("its mode " + std::to_string(static_cast<int64_t>(options->mode())) + " does not exist");
  }
  const int64_t rank = view.shape(0).rank();
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> paddings, sizes(view, 1, "paddings", 0, 2 * rank));
  for (size_t d = 0; d < paddings.size() / 2; ++d) {
    attr.before[d] = paddings[2 * d];
    attr.after[d] = paddings[2 * d + 1];
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_space_to_depth(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::SpaceToDepthOptions>());
  node.attributes = BlockSizeAttr{options->block_size()};
  return {};
}

namespace {

// Blocks, and paddings or crops, of the dimensions between batch and channels.
Status decode_blocks(const OperatorView& view, const char* border, DecodedOp& node) {
  const int64_t dims = view.shape(0).rank() - 2;
  if (dims < 1 || dims > 2) {
    return invalid_model("its input of shape " + view.shape(0).to_string() + " has neither three nor four dimensions");
  }
  BatchSpaceAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.block, sizes(view, 1, "block sizes", 1, dims));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> borders, sizes(view, 2, border, 0, 2 * dims));
  for (size_t d = 0; d < attr.block.size(); ++d) {
    attr.before.push_back(borders[2 * d]);
    attr.after.push_back(borders[2 * d + 1]);
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

}  // namespace

Status decode_space_to_batch(const OperatorView& view, DecodedOp& node) {
  return decode_blocks(view, "paddings", node);
}
Status decode_batch_to_space(const OperatorView& view, DecodedOp& node) { return decode_blocks(view, "crops", node); }

Status decode_resize_nearest(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ResizeNearestNeighborOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> size, sizes(view, 1, "output sizes", 1, 2));
  ResizeAttr attr;
  attr.out_h = size[0];
  attr.out_w = size[1];
  if (options != nullptr) {
    attr.align_corners = options->align_corners();
    attr.half_pixel_centers = options->half_pixel_centers();
  }
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_gather(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::GatherOptions>());
  GatherAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.axis, resolve_axis(options == nullptr ? 0 : options->axis(), view.shape(0).rank()));
  const int32_t shared = options == nullptr ? 0 : options->batch_dims();
  attr.batch_dims = shared < 0 ? shared + view.shape(1).rank() : shared;
  node.attributes = attr;
  return {};
}

// Inputs: data, rows and columns of the transform.
Status decode_rfft2d(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, view.integers(1, "transform sizes", 2));
  if (sizes.size() != 2) return invalid_model("its transform sizes " + view.input(1).describe() + " are not two");
  node.call = DecodedCall{.kind = DecodedCall::Kind::kRfft, .first = sizes[0], .second = sizes[1]};
  return {};
}

Status decode_complex_abs(const OperatorView&, DecodedOp& node) {
  node.call = DecodedCall{.kind = DecodedCall::Kind::kComplexAbs};
  return {};
}

Status decode_real(const OperatorView&, DecodedOp& node) {
  node.call = DecodedCall{.kind = DecodedCall::Kind::kReal};
  return {};
}

Status decode_imag(const OperatorView&, DecodedOp& node) {
  node.call = DecodedCall{.kind = DecodedCall::Kind::kImag};
  return {};
}

// Inputs: numbers of rows, and the table that has them.
Status decode_embedding_lookup(const OperatorView& view, DecodedOp& node) {
  if (view.shape(0).rank() != 1 || view.shape(1).rank() < 2) {
    return invalid_model("its row numbers " + view.input(0).describe() + " of shape " + view.shape(0).to_string() +
                         " are not a vector, or its table " + view.input(1).describe() + " of shape " +
                         view.shape(1).to_string() + " has no rows");
  }
  node.attributes = GatherAttr{};
  node.data = {1, 0};
  return {};
}

}  // namespace sightglass::tflite

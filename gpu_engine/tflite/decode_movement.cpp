// Operators that only move elements.
#include <algorithm>
#include <numeric>

#include "tflite/decoders.h"

namespace sightglass::tflite {
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
  node.attributes = DepthToSpaceAttr{options->block_size()};
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

}  // namespace sightglass::tflite

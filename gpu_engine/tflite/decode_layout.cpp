// Operators that move elements. Their parameters are resolved against the shape of the input.
#include <algorithm>

#include "tflite/decoders.h"
#include "tflite/slice_bounds.h"

namespace sightglass::tflite {
namespace {}  // namespace

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

Status decode_strided_slice(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::StridedSliceOptions>());
  constexpr size_t kMost = size_t{2} * Shape::kMaxRank;
  SliceBounds bounds;
  SIGHTGLASS_ASSIGN_OR_RETURN(bounds.begin, view.integers(1, "begins", kMost));
  SIGHTGLASS_ASSIGN_OR_RETURN(bounds.end, view.integers(2, "ends", kMost));
  SIGHTGLASS_ASSIGN_OR_RETURN(bounds.stride, view.integers(3, "strides", kMost));
  bounds.begin_mask = options->begin_mask();
  bounds.end_mask = options->end_mask();
  bounds.ellipsis_mask = options->ellipsis_mask();
  bounds.new_axis_mask = options->new_axis_mask();
  bounds.shrink_axis_mask = options->shrink_axis_mask();
  bounds.end_is_offset = options->offset();
  SIGHTGLASS_ASSIGN_OR_RETURN(const StridedSliceAttr attr, resolve_slice(bounds, view.shape(0)));
  node.attributes = attr;
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
  node.attributes = DepthToSpaceAttr{options->block_size()};
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

}  // namespace sightglass::tflite

// Operators that change the layout of elements.
#include "graph/shapes/node_shapes.h"

namespace sightglass {

Result<Shape> infer_concat(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, std::numeric_limits<size_t>::max()));
  const int32_t axis = n.attributes<ConcatAttr>().axis;
  for (size_t i = 0; i < n.node().inputs.size(); ++i) {
    if (!n.has(i)) return n.wrong("input " + std::to_string(i) + " is missing");
  }
  const Shape& first = n.shape(0);
  if (axis < 0 || axis >= first.rank()) return n.wrong_input(0, "has no axis " + std::to_string(axis));
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  for (size_t i = 1; i < n.node().inputs.size(); ++i) {
    const Shape& next = n.shape(i);
    bool fits = next.rank() == first.rank();
    for (int d = 0; fits && d < first.rank(); ++d) fits = d == axis || next.dim(d) == first.dim(d);
    if (!fits) {
      return n.wrong_input(i, "cannot be joined with " + first.to_string() + " along axis " + std::to_string(axis));
    }
    dims[static_cast<size_t>(axis)] += next.dim(axis);
  }
  return n.make(dims);
}

Result<Shape> infer_pad(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<PadAttr>();
  std::vector<int64_t> dims;
  for (int d = 0; d < n.shape(0).rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    if (a.before[i] < 0 || a.after[i] < 0) return n.wrong("its padding is negative");
    dims.push_back(int64_t{n.shape(0).dim(d)} + a.before[i] + a.after[i]);
  }
  return n.make(dims);
}

Result<Shape> infer_reshape(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const Shape& to = n.attributes<ReshapeAttr>().shape;
  const std::vector<int64_t> dims(to.dims().begin(), to.dims().end());
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape checked, n.make(dims));
  if (checked.elements() != n.shape(0).elements()) return n.wrong_input(0, "cannot become " + to.to_string());
  return checked;
}

Result<Shape> infer_strided_slice(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<StridedSliceAttr>();
  const Shape& in = n.shape(0);
  std::vector<int64_t> taken;
  for (int d = 0; d < in.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t last = a.begin[i] + (int64_t{a.size[i]} - 1) * a.stride[i];
    if (a.stride[i] == 0 || a.size[i] < 0) return n.wrong("its stride is 0 or its size negative");
    if (a.size[i] > 0 && (a.begin[i] < 0 || a.begin[i] >= in.dim(d) || last < 0 || last >= in.dim(d))) {
      return n.wrong_input(0, "does not reach from " + std::to_string(a.begin[i]) + " to " + std::to_string(last) +
                                  " along axis " + std::to_string(d));
    }
    taken.push_back(a.size[i]);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape all, n.make(taken));
  const std::vector<int64_t> dims(a.shape.dims().begin(), a.shape.dims().end());
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape out, n.make(dims));
  if (all.elements() != out.elements()) {
    return n.wrong("its slice of " + all.to_string() + " cannot become " + out.to_string());
  }
  return out;
}

Result<Shape> infer_resize(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  const auto& a = n.attributes<ResizeAttr>();
  if (a.out_h < 1 || a.out_w < 1) {
    return n.wrong("its output size is " + std::to_string(a.out_h) + " x " + std::to_string(a.out_w));
  }
  return n.make(std::array<int64_t, 4>{n.shape(0).dim(0), a.out_h, a.out_w, n.shape(0).dim(3)});
}

Result<Shape> infer_depth_to_space(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  const int64_t block = n.attributes<DepthToSpaceAttr>().block_size;
  const Shape& in = n.shape(0);
  if (block < 1 || block > NodeShapes::kMaxElements || in.dim(3) % (block * block) != 0) {
    return n.wrong_input(0, "cannot be split into blocks of " + std::to_string(block));
  }
  return n.make(std::array<int64_t, 4>{in.dim(0), in.dim(1) * block, in.dim(2) * block, in.dim(3) / (block * block)});
}

}  // namespace sightglass

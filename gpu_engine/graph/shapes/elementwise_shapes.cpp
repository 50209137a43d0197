// Elementwise operators and reductions.
#include <algorithm>

#include "graph/shapes/node_shapes.h"

namespace sightglass {

Result<Shape> infer_reduction(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, n.node().op == OpType::kMean ? kMeanAddend + 1 : 1));
  const auto& a = n.attributes<ReduceAttr>();
  const Shape& in = n.shape(0);
  if (n.has(kMeanAddend) && n.shape(kMeanAddend) != in) {
    return n.wrong_input(kMeanAddend, "is added to data of shape " + in.to_string());
  }
  for (size_t i = 0; i < a.axes.size(); ++i) {
    if (a.axes[i] < 0 || a.axes[i] >= in.rank() || (i > 0 && a.axes[i] <= a.axes[i - 1])) {
      return n.wrong_input(0, "has no axis " + std::to_string(a.axes[i]) + ", or its axes are not in ascending order");
    }
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < in.rank(); ++d) {
    const bool reduced = std::ranges::find(a.axes, d) != a.axes.end();
    if (!reduced) {
      dims.push_back(in.dim(d));
    } else if (a.keep_dims) {
      dims.push_back(1);
    }
  }
  return n.make(dims);
}

Result<Shape> infer_arg_extreme(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const int32_t axis = n.attributes<ArgAttr>().axis;
  const Shape& in = n.shape(0);
  if (axis < 0 || axis >= in.rank()) return n.wrong_input(0, "has no axis " + std::to_string(axis));
  std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
  dims.erase(dims.begin() + axis);
  return n.make(dims);
}

Result<std::vector<Shape>> infer_top_k(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const Shape& in = n.shape(0);
  const int32_t k = n.attributes<TopKAttr>().k;
  if (in.rank() < 1 || k < 0 || k > in.dim(in.rank() - 1)) {
    return n.wrong_input(0, "has no " + std::to_string(k) + " elements along its last dimension");
  }
  std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
  dims.back() = k;
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape shape, n.make(dims));
  return std::vector<Shape>{shape, shape};
}

Result<Shape> infer_select(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(3, 3));
  if (n.attributes<SelectAttr>().by_row) {
    if (n.shape(1) != n.shape(2)) return n.wrong_input(2, "is not of the shape " + n.shape(1).to_string());
    if (n.shape(1).rank() < 1 || n.shape(0).rank() != 1 || n.shape(0).dim(0) != n.shape(1).dim(0)) {
      return n.wrong_input(0, "does not have an element for each row of " + n.shape(1).to_string());
    }
    return n.shape(1);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape data, n.broadcast(1, 2));
  return n.broadcast(n.shape(0), data, "its condition and its data");
}

Result<Shape> infer_broadcast_to(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const Shape& to = n.attributes<BroadcastToAttr>().shape;
  const std::vector<int64_t> dims(to.dims().begin(), to.dims().end());
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape checked, n.make(dims));
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape joint, n.broadcast(n.shape(0), checked, "its input and its output"));
  if (joint != checked) return n.wrong_input(0, "cannot be broadcast to " + checked.to_string());
  return checked;
}

Result<Shape> infer_add_n(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, std::numeric_limits<size_t>::max()));
  for (size_t i = 1; i < n.node().inputs.size(); ++i) {
    if (!n.has(i)) return n.wrong("input " + std::to_string(i) + " is missing");
    if (n.shape(i) != n.shape(0)) return n.wrong_input(i, "is not of the shape " + n.shape(0).to_string());
  }
  return n.shape(0);
}

Result<Shape> infer_unary(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  return n.shape(0);
}

Result<Shape> infer_binary(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  return n.broadcast(0, 1);
}

Result<Shape> infer_softmax(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  if (n.shape(0).rank() < 1) return n.wrong_input(0, "needs at least 1 dimension");
  return n.shape(0);
}

Result<Shape> infer_dynamic_quantize(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const int32_t group = n.attributes<DynamicQuantizeAttr>().group;
  if (group < 1 || n.shape(0).elements() % group != 0) {
    return n.wrong_input(0, "does not consist of groups of " + std::to_string(group) + " elements");
  }
  return n.shape(0);
}

}  // namespace sightglass

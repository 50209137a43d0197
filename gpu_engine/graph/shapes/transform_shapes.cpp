// Landmarks, images, and the matrices that transform them.
#include <algorithm>
#include <cmath>

#include "graph/shapes/node_shapes.h"

namespace sightglass {
namespace {

Status need_matrix(const NodeShapes& n, size_t input) {
  constexpr int64_t kElements = 16;
  if (n.shape(input).elements() == kElements) return {};
  return n.wrong_input(input, "has shape " + n.shape(input).to_string() + ", which is not a 4 x 4 matrix");
}

}  // namespace

Result<Shape> infer_landmarks_to_matrix(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<LandmarksToMatrixAttr>();
  const int64_t elements = n.shape(0).elements();
  if (elements % 3 != 0) {
    return n.wrong_input(0, "has shape " + n.shape(0).to_string() + ", which are not landmarks of 3 numbers each");
  }
  if (a.subset.empty()) return n.wrong("it has no landmarks to surround");
  const auto [least, most] = std::minmax({std::ranges::min(a.subset), std::ranges::max(a.subset), a.left, a.right});
  if (least < 0 || most >= elements / 3) {
    return n.wrong("it reads landmark " + std::to_string(least < 0 ? least : most) + " of " +
                   std::to_string(elements / 3));
  }
  for (const float size : {a.columns, a.rows, a.pixels_x, a.pixels_y}) {
    if (!(size > 0) || !std::isfinite(size)) return n.wrong("one of its sizes is " + std::to_string(size));
  }
  return n.make(std::array<int64_t, 3>{1, 4, 4});
}

Result<Shape> infer_transform_landmarks(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  SIGHTGLASS_RETURN_IF_ERROR(need_matrix(n, 1));
  const auto& a = n.attributes<TransformLandmarksAttr>();
  const Shape& in = n.shape(0);
  if (a.dimensions != 2 && a.dimensions != 3) {
    return n.wrong("its landmarks have " + std::to_string(a.dimensions) + " dimensions, not 2 or 3");
  }
  if (in.rank() < 1 || in.dim(in.rank() - 1) % a.dimensions != 0) {
    return n.wrong_input(0, "has shape " + in.to_string() + ", which are not landmarks of " +
                                std::to_string(a.dimensions) + " numbers each");
  }
  return in;
}

Result<Shape> infer_transform_image(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  SIGHTGLASS_RETURN_IF_ERROR(need_matrix(n, 1));
  const auto& a = n.attributes<TransformImageAttr>();
  if (n.shape(0).dim(0) != 1) {
    return n.wrong_input(0, "has " + std::to_string(n.shape(0).dim(0)) + " images, but there is one matrix");
  }
  constexpr int32_t kMostPixels = 1 << 24;  // positions along a side are floats
  for (const int32_t size : {n.shape(0).dim(1), n.shape(0).dim(2), a.out_h, a.out_w}) {
    if (size > kMostPixels) return n.wrong("its image or its output has a side of " + std::to_string(size) + " pixels");
  }
  if (a.out_h < 1 || a.out_w < 1) {
    return n.wrong("its output is " + std::to_string(a.out_h) + " high and " + std::to_string(a.out_w) + " wide");
  }
  return n.make(std::array<int64_t, 4>{1, a.out_h, a.out_w, n.shape(0).dim(3)});
}

}  // namespace sightglass

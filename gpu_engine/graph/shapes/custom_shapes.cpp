#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu_engine/quoted.h"
#include "graph/posenet.h"
#include "graph/quantized.h"
#include "graph/shapes/node_shapes.h"

namespace sightglass {

Result<std::vector<Shape>> infer_detection(const NodeShapes& n) {
  const Graph& graph = n.graph();
  const Node& node = n.node();
  const auto& attr = std::get<DetectionAttr>(node.attributes);
  const auto wrong = [&](const std::string& what) {
    return invalid_model((node.origin.empty() ? std::string(to_string(node.op)) : node.origin) + ": " + what);
  };
  constexpr size_t kInputs = 3;
  if (node.inputs.size() != kInputs) return wrong("it has " + std::to_string(node.inputs.size()) + " inputs, not 3");
  for (const ValueId input : node.inputs) {
    if (input == kNone) return wrong("an input is missing");
  }
  const Shape& boxes = graph.value(node.inputs[detection::kBoxes]).shape;
  const Shape& scores = graph.value(node.inputs[detection::kScores]).shape;
  const Shape& anchors = graph.value(node.inputs[detection::kAnchors]).shape;
  const std::string shapes = boxes.to_string() + ", " + scores.to_string() + " and " + anchors.to_string();
  if (boxes.rank() != 3 || scores.rank() != 3 || anchors.rank() != 2 || boxes.dim(0) != 1 || scores.dim(0) != 1 ||
      boxes.dim(2) < 4 || anchors.dim(1) != 4 || scores.dim(1) != boxes.dim(1) || anchors.dim(0) != boxes.dim(1) ||
      boxes.dim(1) < 1) {
    return wrong("boxes, scores and anchors of " + shapes + " do not match; boxes are 1xNx4, anchors Nx4");
  }
  // An additional score is that of the background.
  if (attr.classes < 1 || (scores.dim(2) != attr.classes && int64_t{scores.dim(2)} != int64_t{attr.classes} + 1)) {
    return wrong("it has " + std::to_string(attr.classes) + " classes, but its scores are " + scores.to_string());
  }
  constexpr int32_t kMost = 1 << 20;
  const int64_t detections = int64_t{attr.max_detections} * attr.max_classes;
  if (attr.max_detections < 1 || attr.max_classes < 1 || attr.per_class < 1 || detections > kMost ||
      int64_t{attr.per_class} * attr.classes > kMost) {
    return wrong("its numbers of detections are " + std::to_string(attr.max_detections) + ", " +
                 std::to_string(attr.max_classes) + " classes each, " + std::to_string(attr.per_class) + " per class");
  }
  if (!(attr.iou_threshold > 0 && attr.iou_threshold <= 1) || std::isnan(attr.score_threshold)) {
    return wrong("its overlap threshold is " + std::to_string(attr.iou_threshold) +
                 ", not in (0, 1], or its score threshold "
                 "is NaN");
  }
  for (const float scale : {attr.y_scale, attr.x_scale, attr.h_scale, attr.w_scale}) {
    if (scale == 0 || !std::isfinite(scale)) return wrong("one of its scales is " + std::to_string(scale));
  }
  const auto count = static_cast<int32_t>(detections);
  return std::vector<Shape>{Shape{1, count, 4}, Shape{1, count}, Shape{1, count}, Shape{1}};
}

namespace posenet {

float lowest_root(float score_threshold) {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr double kSmall = 1e-6;  // from the definition of the operator
  const double logit = -std::log(1.0 / (double{score_threshold} + kSmall) - 1.0);
  return std::isnan(logit) ? kMost : static_cast<float>(std::clamp(logit, -double{kMost}, double{kMost}));
}

}  // namespace posenet

Result<std::vector<Shape>> infer_posenet_decoder(const NodeShapes& n) {
  const Graph& graph = n.graph();
  const Node& node = n.node();
  const auto& attr = std::get<PosenetDecoderAttr>(node.attributes);
  const std::string title = node.origin.empty() ? std::string(to_string(node.op)) : node.origin;
  const auto wrong = [&](const std::string& what) { return invalid_model(title + ": " + what); };
  constexpr size_t kMaps = 3;
  if (node.inputs.size() < kMaps || node.inputs.size() > kMaps + 1) {
    return wrong("it has " + std::to_string(node.inputs.size()) + " inputs, not 3 or 4");
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) return wrong("input " + std::to_string(i) + " is missing");
    const Value& map = graph.value(node.inputs[i]);
    const Shape& first = graph.value(node.inputs[posenet::kScores]).shape;
    const bool picture = map.shape.rank() == 4 && map.shape.elements() > 0 && map.shape.dim(0) == 1;
    if (!picture || map.shape.dim(1) != first.dim(1) || map.shape.dim(2) != first.dim(2) ||
        map.shape.dim(3) != posenet::kChannels[i]) {
      return wrong("tensor " + quote(map.name) + " is " + map.shape.to_string() + ", not 1 x rows x columns x " +
                   std::to_string(posenet::kChannels[i]) + " with the rows and columns of the scores, " +
                   first.to_string());
    }
    if (map.type != DataType::kFloat32 && (!is_quantized(map) || map.type == DataType::kInt16)) {
      return unsupported(title + ": tensor " + quote(map.name) + " is " + to_string(map.type) +
                         "; float32, and 8-bit integers with one scale, are supported");
    }
  }
  constexpr int32_t kMost = 1 << 20;
  if (attr.max_detections < 1 || attr.max_detections > kMost || attr.stride < 1) {
    return wrong("it is to find " + std::to_string(attr.max_detections) + " poses in cells of " +
                 std::to_string(attr.stride) + " pixels");
  }
  if (!std::isfinite(attr.score_threshold) || !std::isfinite(attr.nms_radius)) {
    return wrong("its threshold or its radius is not finite");
  }
  const int32_t poses = attr.max_detections;
  std::vector<Shape> shapes{Shape{1, poses, posenet::kKeypoints, 2}, Shape{1, poses, posenet::kKeypoints},
                            Shape{1, poses}, Shape{1}};
  if (node.inputs.size() > kMaps) {
    const Shape& cells = graph.value(node.inputs[posenet::kLongOffsets]).shape;
    shapes.push_back(Shape{1, poses, cells.dim(1), cells.dim(2)});
  }
  return shapes;
}

// Landmarks, images, and the matrices that transform them.

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

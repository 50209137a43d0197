#include <cmath>

#include "graph/detection.h"
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

}  // namespace sightglass

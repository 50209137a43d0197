#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu_engine/quoted.h"
#include "graph/posenet.h"
#include "graph/quantized.h"
#include "graph/shapes/node_shapes.h"

namespace sightglass {

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

}  // namespace sightglass

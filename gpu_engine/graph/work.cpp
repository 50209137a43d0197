#include "graph/work.h"

#include <algorithm>

#include "graph/multiply_adds.h"

namespace sightglass {

namespace {

// Multiply-adds in the time of a read, as measured on llvmpipe.
constexpr double kPerRead = 4;
constexpr double kLargestWindow = 256;

double count_elements(const Graph& graph, const std::vector<ValueId>& values) {
  double sum = 0;
  for (const ValueId id : values) sum += id == kNone ? 0 : static_cast<double>(graph.value(id).shape.elements());
  return sum;
}

// Elements that are read by operators that read each of them many times; 0 for the others.
double repeated_reads(const Graph& graph, const Node& node) {
  const Shape& data = graph.value(node.inputs[0]).shape;
  const auto elements = static_cast<double>(data.elements());
  if (const auto* pool = std::get_if<Pool2dAttr>(&node.attributes)) {
    // Kernels divide large windows into rows and columns.
    const double height = pool->filter_h, width = pool->filter_w;
    return count_elements(graph, node.outputs) * std::min(height * width, std::max(height + width, kLargestWindow));
  }
  if (node.op == OpType::kTopK && data.rank() > 0) return elements * data.dim(data.rank() - 1);
  // Each detection is compared with all boxes, of four values.
  if (const auto* detection = std::get_if<DetectionAttr>(&node.attributes)) {
    const double kept =
        detection->regular ? std::max(detection->per_class, detection->max_detections) : detection->max_detections;
    return elements / 4 * kept * (detection->regular ? std::max(detection->classes, 1) : 1);
  }
  if (const auto* poses = std::get_if<PosenetDecoderAttr>(&node.attributes)) return elements * poses->max_detections;
  return 0;
}

}  // namespace

double work(const Graph& graph, const Node& node) {
  const double moved = std::max(count_elements(graph, node.outputs), count_elements(graph, node.inputs));
  if (node.inputs.empty() || node.inputs[0] == kNone) return moved;
  return std::max({static_cast<double>(multiply_adds(graph, node)), moved, kPerRead * repeated_reads(graph, node)});
}

}  // namespace sightglass

#include <algorithm>
#include <limits>

#include "graph/analyses.h"
#include "graph/lstm.h"
#include "graph/operator_table.h"

namespace sightglass {
namespace {

// Each step of a sequence multiplies every matrix once.
int64_t lstm_multiply_adds(const Graph& graph, const Node& node) {
  const lstm::Sizes sizes = lstm::sizes_of(graph, node);
  int64_t weights = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone || lstm::is_activation(node, i)) continue;
    const Shape& shape = graph.value(node.inputs[i]).shape;
    if (shape.rank() == 2) weights += shape.elements();
  }
  return weights * sizes.batch * sizes.time;
}

const Shape& shape_in(const Graph& graph, const Node& node, size_t input) {
  return graph.value(node.inputs[input]).shape;
}
const Shape& shape_out(const Graph& graph, const Node& node) { return graph.value(node.outputs[0]).shape; }

// For CONV_2D and FULLY_CONNECTED. A tensor has fewer than 2^31 elements, so no product here exceeds 64 bits.
int64_t filter_multiply_adds(const Graph& graph, const Node& node) {
  const Shape& weights = shape_in(graph, node, 1);
  return shape_out(graph, node).elements() * (weights.elements() / weights.dim(0));
}

int64_t depthwise_multiply_adds(const Graph& graph, const Node& node) {
  const Shape& weights = shape_in(graph, node, 1);
  return shape_out(graph, node).elements() * (int64_t{weights.dim(1)} * weights.dim(2));
}

int64_t depthwise_pointwise_multiply_adds(const Graph& graph, const Node& node) {
  const Shape &out = shape_out(graph, node), &weights = shape_in(graph, node, kDepthwiseWeights);
  const int64_t per_pixel = std::get<DepthwisePointwiseAttr>(node.attributes).spread ? 4 : 1;
  const int64_t pixels = int64_t{out.dim(0)} * out.dim(1) * out.dim(2) / per_pixel;
  return pixels * (weights.elements() + shape_in(graph, node, 1).elements());
}

int64_t squeeze_excite_multiply_adds(const Graph& graph, const Node& node) {
  const bool two = node.inputs.size() > kSqueezeWeights && node.inputs[kSqueezeWeights] != kNone;
  const int64_t first = two ? shape_in(graph, node, kSqueezeWeights).elements() : 0;
  return shape_out(graph, node).dim(0) * (first + shape_in(graph, node, 1).elements());
}

int64_t transpose_conv_multiply_adds(const Graph& graph, const Node& node) {
  const Shape& weights = shape_in(graph, node, 1);
  return shape_in(graph, node, 0).elements() * (weights.elements() / weights.dim(3));
}

int64_t batch_matmul_multiply_adds(const Graph& graph, const Node& node) {
  const Shape& x = shape_in(graph, node, 0);
  const int depth = x.rank() - (std::get<BatchMatmulAttr>(node.attributes).adj_x ? 2 : 1);
  return shape_out(graph, node).elements() * x.dim(depth);
}

struct Counter {
  OpType op;
  int64_t (*count)(const Graph& graph, const Node& node);
};
constexpr auto kCounters = std::to_array<Counter>({
    {OpType::kConv2d, filter_multiply_adds},
    {OpType::kDepthwiseConv2d, depthwise_multiply_adds},
    {OpType::kDepthwisePointwise, depthwise_pointwise_multiply_adds},
    {OpType::kSqueezeExcite, squeeze_excite_multiply_adds},
    {OpType::kTransposeConv, transpose_conv_multiply_adds},
    {OpType::kFullyConnected, filter_multiply_adds},
    {OpType::kLstm, lstm_multiply_adds},
    {OpType::kBatchMatmul, batch_matmul_multiply_adds},
});
static_assert(operators::lists_all(kCounters, operators::kHasWeights));

}  // namespace

int64_t multiply_adds(const Graph& graph, const Node& node) {
  const auto* counter = std::ranges::find(kCounters, node.op, &Counter::op);
  return counter == kCounters.end() ? 0 : counter->count(graph, node);
}

int64_t multiply_adds(const Graph& graph) {
  int64_t sum = 0;
  for (const NodeId id : graph.order()) {
    if (__builtin_add_overflow(sum, multiply_adds(graph, graph.node(id)), &sum)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return sum;
}

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
  if (operators::has(node.op, operators::kRanks) && data.rank() > 0) return elements * data.dim(data.rank() - 1);
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

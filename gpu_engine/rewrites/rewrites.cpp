#include "rewrites/rewrites.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/operator_table.h"
#include "graph/quantized.h"

namespace sightglass::rewriting {

bool can_activate(OpType op, Activation activation) {
  return operators::has(op, activation == Activation::kPrelu ? operators::kHasWeights : operators::kTakesActivation);
}

std::optional<std::string> obstacle_to_activating(const Graph& graph, ValueId value, Activation activation,
                                                  size_t readers) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNone) return "no operator computes its input";
  const Node& node = graph.node(producer);
  if (!can_activate(node.op, activation)) {
    return describe(graph, producer) + " cannot apply " + to_string(activation);
  }
  if (node.activation != Activation::kNone) {
    return describe(graph, producer) + " has the activation " + to_string(node.activation);
  }
  if (graph.is_output(value)) return quote(graph.value(value).name) + " is an output of the graph";
  if (graph.value(value).users.size() != readers) return quote(graph.value(value).name) + " is read by others as well";
  return std::nullopt;
}

std::optional<std::string> obstacle_to_more_operands(const Graph& graph, NodeId conv) {
  const Node& node = graph.node(conv);
  const bool constant_bias = node.inputs.size() <= 2 || node.inputs[2] == kNone || graph.is_constant(node.inputs[2]);
  if (!graph.is_constant(node.inputs[1]) || !constant_bias || graph.value(node.inputs[1]).type != DataType::kFloat32) {
    return "the weights are not float constants";
  }
  const Value& data = graph.value(node.inputs[0]);
  const bool all_channels = node.op != OpType::kConv2d || graph.value(node.inputs[1]).shape.dim(3) == data.shape.dim(3);
  if (!all_channels) return "its channels are in groups";
  if (data.producer != kNone && graph.node(data.producer).op == OpType::kDynamicQuantize) {
    return "its data are quantized at run time";
  }
  return std::nullopt;
}

bool sums_into_integers(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const bool sums =
      node.op == OpType::kConv2d || node.op == OpType::kDepthwiseConv2d || node.op == OpType::kFullyConnected;
  if (!sums || has_more_operands(node) || !sums_integers(graph, node)) return false;
  const bool constant_bias = node.inputs.size() <= 2 || node.inputs[2] == kNone || graph.is_constant(node.inputs[2]);
  return constant_bias && graph.is_constant(node.inputs[1]) && graph.value(node.outputs[0]).type != DataType::kInt16;
}

Value unlinked(const Graph& graph, ValueId value) {
  const Value& like = graph.value(value);
  Value result;
  result.type = like.type;
  result.shape = like.shape;
  result.quantization = like.quantization;
  return result;
}

void activate_producer(Graph& graph, ValueId from, Activation activation, ValueId to) {
  const NodeId producer = graph.value(from).producer;
  graph.remove_node(graph.value(to).producer);
  graph.node(producer).activation = activation;
  graph.set_output(producer, 0, to);
  // The removed nodes still read `from`; their results have no readers.
  while (!graph.value(from).users.empty()) {
    NodeId last = graph.value(from).users.front();
    while (!graph.value(graph.node(last).outputs[0]).users.empty()) {
      last = graph.value(graph.node(last).outputs[0]).users.front();
    }
    graph.remove_node(last);
  }
}

bool is_pointwise_conv(const Graph& graph, const Node& node) {
  if (node.op != OpType::kConv2d) return false;
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Shape &weights = graph.value(node.inputs[1]).shape, &in = graph.value(node.inputs[0]).shape,
              &out = graph.value(node.outputs[0]).shape;
  return weights.dim(1) == 1 && weights.dim(2) == 1 && attr.stride_h == 1 && attr.stride_w == 1 &&
         in.dim(1) == out.dim(1) && in.dim(2) == out.dim(2);
}

void replace_node(Graph& graph, NodeId id, Node node) {
  node.outputs = graph.node(id).outputs;
  node.origin = graph.node(id).origin;
  graph.add_node(std::move(node), id);
  graph.remove_node(id);
}

bool read_once(const Graph& graph, ValueId value) {
  return graph.value(value).users.size() == 1 && !graph.is_output(value);
}

bool is_near(std::optional<float> number, float expected) {
  return number && std::abs(*number - expected) <= 1e-4f * std::abs(expected);
}

std::optional<float> uniform_constant(const Graph& graph, ValueId id) {
  if (!graph.is_constant(id) || graph.value(id).type != DataType::kFloat32) return std::nullopt;
  const std::vector<float> values = graph.floats(id);
  if (values.empty()) return std::nullopt;
  const bool uniform = std::ranges::all_of(values, [&](float value) { return is_near(value, values[0]); });
  return uniform ? std::optional(values[0]) : std::nullopt;
}

std::optional<std::vector<float>> per_channel(const Graph& graph, ValueId id, int32_t channels) {
  if (!graph.is_constant(id) || graph.value(id).type != DataType::kFloat32) return std::nullopt;
  const Shape& shape = graph.value(id).shape;
  std::vector<float> values = graph.floats(id);
  if (values.size() == 1) values.assign(static_cast<size_t>(channels), values[0]);
  const bool varies_elsewhere = shape.elements() != 1 && shape.elements() != channels_of(shape);
  if (varies_elsewhere || values.size() != static_cast<size_t>(channels)) return std::nullopt;
  return values;
}

int32_t channels_of(const Shape& shape) { return shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1); }

}  // namespace sightglass::rewriting

namespace sightglass {
namespace {

// Spelled-out operators are recognized before their parts are folded into neighbors. Activations come late, when the
// nodes between them and a node that can apply them are gone. Two convolutions merge when each is complete, and a mean
// with the convolution that has found no other.
constexpr std::array kRewrites{
    Rewrite{"fold-constants", fold_constants, true},
    Rewrite{"remove-identities", remove_identities},
    Rewrite{"join-slices", join_slices, true},
    Rewrite{"recognize-hard-swish", recognize_hard_swish},
    Rewrite{"recognize-swish", recognize_swish},
    Rewrite{"quantize-before-moving", quantize_before_moving, true},
    Rewrite{"tabulate-function", tabulate_function, true},
    Rewrite{"merge-dimensions", merge_dimensions},
    Rewrite{"dilate-convolution", dilate_convolution, true},
    Rewrite{"fold-padding", fold_padding, true},
    Rewrite{"merge-quantizations", merge_quantizations, true},
    Rewrite{"fold-scale-bias", fold_scale_bias},
    Rewrite{"global-pool", global_pool},
    Rewrite{"split-broadcast", split_broadcast},
    Rewrite{"sink-resize", sink_resize},
    Rewrite{"fuse-gate", fuse_gate},
    Rewrite{"fuse-table", fuse_table, true},
    Rewrite{"fuse-residual", fuse_residual, true},
    Rewrite{"fold-residual-padding", fold_residual_padding, true},
    Rewrite{"fold-residual-pool", fold_residual_pool, true},
    Rewrite{"fold-residual-resize", fold_residual_resize},
    Rewrite{"fuse-activation", fuse_activation},
    Rewrite{"fuse-addend", fuse_addend},
    Rewrite{"fuse-depthwise", fuse_depthwise},
    Rewrite{"fuse-spread", fuse_spread},
    Rewrite{"fuse-excitation", fuse_excitation},
    Rewrite{"fuse-mean", fuse_mean},
};

// Each pass can enable more rewrites. Real models settle after three or four; the graph is valid and complete after any
// number.
constexpr int kMaxPasses = 50;
// Checking after each application takes quadratic time in the number of nodes: only to find the rewrite that broke a
// graph.
enum class Check : uint8_t { kEachPass, kEachApplication };

class Driver {
 public:
  Driver(Graph& graph, std::span<const Rewrite> rewrites, Check check)
      : graph_(graph), rewrites_(rewrites), check_(check) {}

  Result<RewriteReport> run() {
    SIGHTGLASS_RETURN_IF_ERROR(verify(graph_).with_context("before any rewrite"));
    graph_.remove_dead_nodes();
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      changed_ = false;
      report_.declined.clear();  // only the obstacles after the last pass count
      for (const Rewrite& rewrite : rewrites_) SIGHTGLASS_RETURN_IF_ERROR(apply_everywhere(rewrite));
      SIGHTGLASS_RETURN_IF_ERROR(verify(graph_).with_context("after the rewrites"));
      if (!changed_) break;
    }
    return std::move(report_);
  }

 private:
  // Quantized operators round their results, and their weights are not real values: most rewrites skip them.
  bool concerns(const Rewrite& rewrite, const Node& node) const {
    const auto real = [this](ValueId id) { return id == kNone || graph_.value(id).type == DataType::kFloat32; };
    return rewrite.any_type || (std::ranges::all_of(node.inputs, real) && std::ranges::all_of(node.outputs, real));
  }

  Status apply_everywhere(const Rewrite& rewrite) {
    const std::vector<NodeId> order = graph_.order();
    for (const NodeId id : order) {
      if (graph_.node(id).removed || !concerns(rewrite, graph_.node(id))) continue;
      const std::string where = describe(graph_, id);
      RewriteOutcome outcome = rewrite.apply(graph_, id);
      if (outcome.kind == RewriteOutcome::kDeclined) {
        report_.declined.push_back({rewrite.name, where, std::move(outcome.reason)});
      }
      if (outcome.kind != RewriteOutcome::kApplied) continue;
      changed_ = true;
      report_.applied.push_back({rewrite.name, where, {}});
      if (check_ == Check::kEachPass) continue;
      SIGHTGLASS_RETURN_IF_ERROR(verify(graph_).with_context(std::string("after ") + rewrite.name + " at " + where));
    }
    return {};
  }

  Graph& graph_;
  std::span<const Rewrite> rewrites_;
  Check check_;
  RewriteReport report_;
  bool changed_ = false;
};

}  // namespace

std::span<const Rewrite> all_rewrites() { return kRewrites; }

Result<RewriteReport> run_rewrites(Graph& graph, std::span<const Rewrite> rewrites) {
  const Graph before = graph;
  Result<RewriteReport> report = Driver(graph, rewrites, Check::kEachPass).run();
  if (report.ok()) return report;
  graph = before;
  return Driver(graph, rewrites, Check::kEachApplication).run();
}

}  // namespace sightglass

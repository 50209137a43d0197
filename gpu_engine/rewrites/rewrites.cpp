#include "rewrites/rewrites.h"

#include <algorithm>
#include <array>

#include "rewrites/common.h"

namespace sightglass {
namespace {

// Spelled-out operators are recognized before their parts are folded into neighbors. Activations come late, when the
// nodes between them and a node that can apply them are gone. Two convolutions merge when each is complete.
constexpr std::array kRewrites{
    Rewrite{"fold-constants", fold_constants, true},
    Rewrite{"remove-identities", remove_identities},
    Rewrite{"recognize-hard-swish", recognize_hard_swish},
    Rewrite{"recognize-swish", recognize_swish},
    Rewrite{"dilate-convolution", dilate_convolution, true},
    Rewrite{"fold-padding", fold_padding},
    Rewrite{"fold-scale-bias", fold_scale_bias},
    Rewrite{"global-pool", global_pool},
    Rewrite{"split-broadcast", split_broadcast},
    Rewrite{"sink-resize", sink_resize},
    Rewrite{"fuse-gate", fuse_gate},
    Rewrite{"fuse-residual", fuse_residual},
    Rewrite{"fuse-activation", fuse_activation},
    Rewrite{"fuse-depthwise", fuse_depthwise},
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

#include "model_dump.h"

#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "graph/graph.h"
#include "graph/rewrites.h"

namespace sightglass {

Result<std::string> dump_model(const DumpOptions& options) {
  SG_ASSIGN_OR_RETURN(const auto model, Model::load(options.model, options.model_options));
  if (options.stage == DumpStage::kPlan) {
    if (options.graphviz) return invalid_argument("a plan has no Graphviz form; only graphs do");
    SG_ASSIGN_OR_RETURN(const auto plan, Plan::build(model, DeviceLimits{}));
    return plan->dump();
  }
  Graph graph = model->graph();
  std::string notes;
  if (options.stage == DumpStage::kRewritten) {
    SG_ASSIGN_OR_RETURN(const RewriteReport report, run_rewrites(graph));
    const char* comment = options.graphviz ? "// " : "# ";
    for (const auto& entry : report.applied) notes += comment + entry.rewrite + " applied to " + entry.node + "\n";
    for (const auto& entry : report.declined) {
      notes += comment + entry.rewrite + " declined on " + entry.node + ": " + entry.reason + "\n";
    }
  }
  return notes + (options.graphviz ? dump_graphviz(graph) : dump_text(graph));
}

}  // namespace sightglass

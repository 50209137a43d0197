#include <sstream>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "model/model_check.h"
#include "model/report_format.h"
#include "model_store.h"
#include "rewrites/rewrites.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass {
namespace {

// Information on the model besides its graph, as comments.
std::string describe(const StoredModel& stored, const char* comment) {
  std::string text, lines;
  const auto& known = stored.known;
  if (known) append(text, "known as    %s, a model for %s\n", known->title, to_string(known->task));
  append_metadata(text, stored.model->metadata());
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines += comment + line + "\n";
  return lines;
}

}  // namespace

Result<std::string> dump_model(const DumpOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(options.model));
  SIGHTGLASS_ASSIGN_OR_RETURN(const StoredModel stored, load_stored_model(path, options.model_options));
  const auto& model = stored.model;
  if (options.stage == DumpStage::kPlan) {
    if (options.graphviz)
      return invalid_argument("cannot print a plan as Graphviz; use --dot with the stages file and rewritten");
    PlanOptions plan_options;
    plan_options.resources = options.resources;
    SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, Plan::build(model, DeviceLimits{}, plan_options));
    return plan->dump();
  }
  Graph graph = graph_of(*model);
  const char* comment = options.graphviz ? "// " : "# ";
  std::string notes = describe(stored, comment);
  if (options.stage == DumpStage::kRewritten) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const RewriteReport report, run_rewrites(graph));
    for (const auto& entry : report.applied) notes += comment + entry.rewrite + " applied to " + entry.node + "\n";
    for (const auto& entry : report.declined) {
      notes += comment + entry.rewrite + " declined on " + entry.node + ": " + entry.reason + "\n";
    }
  }
  return notes + (options.graphviz ? dump_graphviz(graph) : dump_text(graph));
}

}  // namespace sightglass

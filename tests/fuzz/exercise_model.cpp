#include "exercise_model.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu_engine/internals.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "tflite/import.h"

namespace sightglass::test {
namespace {

void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

// Rewrites the graph and plans it for the smallest device. The device may be too small, but nothing else may go wrong.
void plan(const std::shared_ptr<const Model>& model, InputSpec::Source source, OutputSpec::Target target) {
  PlanOptions options;
  options.inputs.resize(model->inputs().size());
  for (InputSpec& input : options.inputs) input.source = source;
  options.outputs.resize(model->outputs().size());
  for (OutputSpec& output : options.outputs) output.target = target;
  const Result<std::shared_ptr<const Plan>> plan = Plan::build(model, DeviceLimits{}, options);
  if (plan.ok()) {
    require(!(*plan)->dump().empty() || (*plan)->dispatches() == 0, "empty dump of a plan");
    return;
  }
  require(!plan.status().message().empty(), "error without a message");
  require(plan.status().code() != ErrorCode::kInternal, plan.status().message());
}

}  // namespace

Status exercise_model(std::span<const std::byte> bytes) {
  // Bounds that keep each file fast. Larger models are rejected, which is tested too.
  tflite::ImportOptions options;
  options.max_tensor_elements = 1 << 24;
  options.max_nodes = 10000;
  options.max_folded_bytes = 1 << 20;
  options.max_folding_steps = 1 << 18;
  const std::string name = "fuzzed";
  // In a separate allocation, so that reads beyond it are detected.
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  Result<Graph> graph = tflite::import(*copy, copy, name, options);
  if (!graph.ok()) {
    require(graph.status().message().starts_with(name + ": "), "error without a name: " + graph.status().message());
    require(graph.status().code() != ErrorCode::kInternal, graph.status().message());
    return graph.status();
  }
  const Status valid = verify(*graph);
  require(valid.ok(), "imported graph is not valid: " + valid.message());
  require(!dump_text(*graph).empty(), "empty dump");
  require(!dump_graphviz(*graph).empty(), "empty graphviz dump");
  const Result<std::shared_ptr<const Model>> model = model_from_graph(*std::move(graph));
  require(model.ok(), "no model from a valid graph: " + model.status().message());
  for (size_t i = 0; i < (*model)->outputs().size(); ++i) (void)(*model)->output_range(i);
  plan(*model, InputSpec::Source::kHost, OutputSpec::Target::kHost);
  plan(*model, InputSpec::Source::kTexture, OutputSpec::Target::kTexture);
  return {};
}

}  // namespace sightglass::test

#include "exercise_model.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu_engine/model.h"
#include "tflite/importer.h"

namespace sightglass::test {
namespace {

void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

}  // namespace

Status exercise_model(std::span<const std::byte> bytes) {
  // Bounds that keep one file fast; what lies beyond them is refused, and refusing is tested as well.
  const tflite::ImportOptions options{
      .max_tensor_elements = 1 << 24, .max_nodes = 10000, .max_folded_bytes = 1 << 20, .max_folding_steps = 1 << 18};
  const std::string name = "fuzzed";
  // At an address of its own, so that reading beyond it is caught.
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
  const Result<std::shared_ptr<const Model>> model = Model::from_graph(*std::move(graph));
  require(model.ok(), "no model from a valid graph: " + model.status().message());
  for (size_t i = 0; i < (*model)->outputs().size(); ++i) (void)(*model)->output_activation(i);
  return {};
}

}  // namespace sightglass::test

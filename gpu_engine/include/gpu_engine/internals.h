// What the engine, its tools and its tests see of models, plans, and sessions, and of what the engine supports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_engine/files.h"
#include "sightglass/device_limits.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/status.h"

namespace sightglass {

class Session;

// What the engine, its tools and its tests see of a model.
struct ModelInternals {
  // The graph as read from the file, before any rewrite.
  static const Graph& graph(const Model& model) { return *model.graph_; }
  // Fails if the graph breaks an invariant.
  static Result<std::shared_ptr<const Model>> make(Graph graph, ModelMetadata metadata);
  // As Model::load(), without a copy of the file.
  static Result<std::shared_ptr<const Model>> load(const FileContents& file, const std::string& name,
                                                   const ModelOptions& options);
};

// The whole file, within the memory limit of the options. Errors do not name the file.
Result<FileContents> read_model_file(const std::string& path, const ModelOptions& options);

inline const Graph& graph_of(const Model& model) { return ModelInternals::graph(model); }

// A model from a graph that a program built instead of reading a file. Fails if the graph breaks an invariant.
Result<std::shared_ptr<const Model>> model_from_graph(Graph graph);

// What the engine, its tools and its tests see of a plan, and what the tuner and tests can force on one.
struct ForcedPlanOptions : PlanOptions {
  ForcedPlanOptions() = default;
  ForcedPlanOptions(PlanOptions options) : PlanOptions(std::move(options)) {}  // NOLINT(google-explicit-constructor)

  int variant = 0;  // steps without a choice use their variant of this index, or their last one
  // Tile of a Winograd kernel that runs whatever `exact` and its cost say, for every node that it supports.
  std::optional<ConvTile> winograd = {};
  int32_t sentinel_bytes = 0;                      // guard bands around every tensor of the arena; a multiple of 16
  std::vector<std::string> hidden_operators = {};  // "CONV_2D": treated as having no kernel
};

struct PlanInternals {
  static const PlanData& data(const Plan& plan) { return *plan.data_; }
  static Result<std::shared_ptr<const Plan>> build(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                   const ForcedPlanOptions& options, std::vector<Obstacle>* obstacles);
};

// plan/plan_data.h
inline const PlanData& data_of(const Plan& plan) { return PlanInternals::data(plan); }

// Plan::build() with forced choices.
inline Result<std::shared_ptr<const Plan>> build_plan(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                      const ForcedPlanOptions& options,
                                                      std::vector<Obstacle>* obstacles = nullptr) {
  return PlanInternals::build(std::move(model), limits, options, obstacles);
}

// What the tests see of a session.
struct SessionInternals {
  static Status check_sentinels(Session& session);
};

// Fails, naming the tensor, if a guard band was overwritten (ForcedPlanOptions::sentinel_bytes). Reads GPU memory.
inline Status check_sentinels(Session& session) { return SessionInternals::check_sentinels(session); }

// Supported operators and their limits: the same tables that the engine uses, for documentation.
struct OperatorSupport {
  std::string name;                                        // as in the file format: "CONV_2D", "CUSTOM 'Name'"
  size_t min_inputs = 1, max_inputs = 1, max_outputs = 1;  // in a file; SIZE_MAX: any number
  std::vector<std::string> takes, makes;                   // element types, as named in `types` below; empty: any
  std::string other_inputs;          // types of the inputs other than the data; empty: as the data
  bool while_loading = false;        // its result is constant, or computed, when a model is loaded
  std::vector<std::string> kernels;  // on the GPU, in order of preference; empty: CPU only
  std::vector<std::string> limits;
};

struct SupportTable {
  struct Entry {
    std::string name, meaning;
  };
  std::vector<Entry> types;              // names of types
  std::vector<std::string> activations;  // that can be fused
  int max_dimensions = 0;                // of a tensor on the GPU
  int max_dimensions_loading = 0;        // of a tensor used only while loading
  std::vector<OperatorSupport> operators;
  std::vector<Entry> refused;  // unsupported operators of the format, with alternatives
};

SupportTable supported_operators();

// Whether a model runs on the GPU, and its blockers: determined without a GPU, for the limits of an assumed device.
struct OperatorCount {
  std::string name;    // as in the file format: "CONV_2D", "CUSTOM 'Name'"
  int count = 0;       // in the model
  int obstructed = 0;  // how many of them are blockers
};

struct SupportReport {
  ModelMetadata metadata;
  std::vector<TensorInfo> inputs, outputs;  // as the file declares them
  std::vector<OperatorCount> operators;     // in order of first appearance
  std::vector<Obstacle> obstacles;          // all blockers found; none: the model runs entirely on the GPU
  int64_t multiply_adds = 0;                // per run; only of supported operators
  int64_t constant_bytes = 0;               // weights and other constants, as stored in the file
  std::shared_ptr<const Plan> plan;         // null if there is a blocker
};

// Fails only if no report is possible: the file cannot be read, is damaged or contradicts itself, or an option is
// invalid.
Result<SupportReport> check_support(const std::string& path, const ModelOptions& model_options,
                                    const DeviceLimits& limits, const PlanOptions& options = {});
// The same for a model in memory.
Result<SupportReport> check_support(const FileContents& file, const std::string& name,
                                    const ModelOptions& model_options, const DeviceLimits& limits,
                                    const PlanOptions& options = {});

}  // namespace sightglass

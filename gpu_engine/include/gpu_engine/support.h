// Whether a model runs on the GPU, and its blockers: determined without a GPU, for the limits of an assumed device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu_engine/input_file.h"
#include "sightglass/device_limits.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/status.h"

namespace sightglass {

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

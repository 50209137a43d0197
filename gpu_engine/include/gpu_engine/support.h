// Whether a model runs on the GPU, and what stands in the way: found without a GPU, for the limits of an assumed
// device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu_engine/device_limits.h"
#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/status.h"

namespace sightglass {

struct OperatorCount {
  std::string name;    // as the format has it: "CONV_2D", "CUSTOM 'Name'"
  int count = 0;       // in the model
  int obstructed = 0;  // how many of them stand in the way
};

struct SupportReport {
  ModelMetadata metadata;
  std::vector<TensorInfo> inputs, outputs;  // as the file declares them
  std::vector<OperatorCount> operators;     // in the order of their first appearance
  std::vector<Obstacle> obstacles;          // all that are found; none: the model runs wholly on the GPU
  int64_t multiply_adds = 0;                // of one run; of the operators that were understood alone
  int64_t constant_bytes = 0;               // weights and other constants, as the file stores them
  std::shared_ptr<const Plan> plan;         // null when something stands in the way
};

// Fails only where there is no report to be made: the file cannot be read, is damaged or contradicts itself, or an
// option is wrong.
Result<SupportReport> check_support(const std::string& path, const ModelOptions& model_options,
                                    const DeviceLimits& limits, const PlanOptions& options = {});

}  // namespace sightglass

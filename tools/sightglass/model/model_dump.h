// Shows the graph or the plan of a model, without a GPU: `sightglass dump`.
#pragma once

#include <string>

#include "sightglass/model.h"
#include "sightglass/status.h"

namespace sightglass {

enum class DumpStage { kFile, kRewritten, kPlan };

struct DumpOptions {
  std::string model;  // a path, or the name of a stored model
  ModelOptions model_options;
  ResourceLimits resources;
  DumpStage stage = DumpStage::kFile;
  bool graphviz = false;  // for dot(1); graphs only
};

// Plans use the minimum limits of OpenGL ES 3.1.
Result<std::string> dump_model(const DumpOptions& options);

}  // namespace sightglass

// Reports without a GPU whether a model runs entirely on one: `sightglass check`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu_engine/internals.h"
#include "known_models.h"
#include "sightglass/model.h"
#include "sightglass/model_metadata.h"
#include "sightglass/status.h"

namespace sightglass {

// Formats the metadata of a model as text and as JSON.

// Appends nothing if the file has no metadata.
void append_metadata(std::string& text, const ModelMetadata& metadata);
nlohmann::ordered_json metadata_json(const ModelMetadata& metadata);

struct CheckOptions {
  std::string model;  // a path, or the name of a stored model
  Precision precision = Precision::kFp32;
  Fallback fallback = Fallback::kError;
  ModelOptions model_options;
  ResourceLimits resources;
  bool minimum_limits = true;  // plan for the minimums of OpenGL ES 3.1; false: for typical phones
};

struct CheckReport {
  CheckOptions options;
  SupportReport support;
  std::optional<KnownModel> known;  // set if it is a known model
};

Result<CheckReport> check_model(const CheckOptions& options);

// The models to check one by one: for a .task bundle, those in it.
Result<std::vector<std::string>> models_to_check(const std::string& model);

std::string format_text(const CheckReport& report);
std::string format_json(const CheckReport& report);                // an object
std::string format_json(const std::vector<CheckReport>& reports);  // a list of such objects

// Shows the graph or the plan of a model, without a GPU: `sightglass dump`.
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

// Reports without a GPU whether a model runs entirely on one: `sightglass check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu_engine/support.h"
#include "known_models.h"
#include "sightglass/status.h"

namespace sightglass {

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

}  // namespace sightglass

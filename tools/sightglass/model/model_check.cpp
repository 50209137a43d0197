#include "model/model_check.h"

#include "model_store.h"
#include "stored_model.h"

namespace sightglass {

Result<CheckReport> check_model(const CheckOptions& asked) {
  CheckOptions options = asked;
  SIGHTGLASS_ASSIGN_OR_RETURN(options.model, ModelStore().resolve(asked.model));
  PlanOptions plan_options;
  plan_options.precision = options.precision;
  plan_options.fallback = options.fallback;
  plan_options.resources = options.resources;
  const DeviceLimits limits = options.minimum_limits ? DeviceLimits{} : DeviceLimits::typical();
  const ModelPath at = split_model_path(options.model);
  if (at.member.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(SupportReport support,
                                check_support(options.model, options.model_options, limits, plan_options));
    const auto known = recognize_model(options.model);
    return CheckReport{std::move(options), std::move(support), known};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const FileContents file, read_member(at));
  SIGHTGLASS_ASSIGN_OR_RETURN(SupportReport support,
                              check_support(file, options.model, options.model_options, limits, plan_options));
  return CheckReport{std::move(options), std::move(support), recognize_model(file.bytes)};
}

Result<std::vector<std::string>> models_to_check(const std::string& model) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(model));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<std::string> models, models_at(path));
  // Not a bundle: as given.
  return models.size() == 1 && models[0] == path ? std::vector{model} : models;
}

}  // namespace sightglass

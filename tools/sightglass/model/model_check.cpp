#include "model/model_check.h"

#include "model_store.h"

namespace sightglass {

Result<CheckReport> check_model(const CheckOptions& asked) {
  CheckOptions options = asked;
  SIGHTGLASS_ASSIGN_OR_RETURN(options.model, ModelStore().resolve(asked.model));
  PlanOptions plan_options;
  plan_options.precision = options.precision;
  plan_options.fallback = options.fallback;
  const DeviceLimits limits = options.minimum_limits ? DeviceLimits{} : DeviceLimits::typical();
  SIGHTGLASS_ASSIGN_OR_RETURN(SupportReport support,
                              check_support(options.model, options.model_options, limits, plan_options));
  const auto known = recognize_model(options.model);
  return CheckReport{std::move(options), std::move(support), known};
}

}  // namespace sightglass

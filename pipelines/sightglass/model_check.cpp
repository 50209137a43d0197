#include "model_check.h"

namespace sightglass {

Result<CheckReport> check_model(const CheckOptions& options) {
  PlanOptions plan_options;
  plan_options.precision = options.precision;
  plan_options.fallback = options.fallback;
  const DeviceLimits limits = options.minimum_limits ? DeviceLimits{} : DeviceLimits::typical();
  SG_ASSIGN_OR_RETURN(SupportReport support, check_support(options.model, options.model_options, limits, plan_options));
  return CheckReport{options, std::move(support), recognise_model(options.model)};
}

}  // namespace sightglass

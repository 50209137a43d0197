#include "element/loaded_model.h"

#include <utility>

#include "gobject/log.h"
#include "model_store.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

Result<std::shared_ptr<const Plan>> GlTarget::plan(SharedModel& model, PlanOptions options) const {
  options.log = engine_log();
  const bool measures = tuning == TuningMode::kOn;
  std::shared_ptr<const Tuning> found = measures ? model.measured(device.limits, options, cache_folder) : nullptr;
  if (found == nullptr) {
    std::string note;
    const TuningFolders folders{cache_folder, installed_folder("tuning")};
    SIGHTGLASS_ASSIGN_OR_RETURN(found,
                                prepare_tuning(group, model.model(), device, options, tuning, folders, {}, &note));
    if (!note.empty()) GST_WARNING_OBJECT(log_object(), "%s", note.c_str());
    if (measures) model.remember(device.limits, options, cache_folder, found);
  }
  options.tuning = std::move(found);
  return model.plan(device.limits, std::move(options));
}

}  // namespace sightglass

#include "base/frame_processor.h"

#include <utility>

#include "gobject/log.h"
#include "installed_folder.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

Result<std::shared_ptr<const Plan>> GlTarget::plan(SharedModel& model, PlanOptions options) const {
  std::string note;
  options.log = engine_log();
  SIGHTGLASS_ASSIGN_OR_RETURN(options.tuning, prepare_tuning(group, model.model(), device, options, tuning,
                                                             {cache_folder, installed_folder("tuning")}, {}, &note));
  if (!note.empty()) GST_WARNING_OBJECT(log_object(), "%s", note.c_str());
  return model.plan(device.limits, std::move(options));
}

}  // namespace sightglass

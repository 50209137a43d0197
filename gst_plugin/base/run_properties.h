// The properties of RunSettings, for elements that show results over the frame.
#pragma once

#include <gst/gst.h>

namespace sightglass {

// Installs `mask-sync`, `gpu-budget` and `on-failure` as numbers `sync_id`, `budget_id` and `failure_id`; all are live.
void install_run_properties(GObjectClass* object_class, guint sync_id, guint budget_id, guint failure_id);

}  // namespace sightglass

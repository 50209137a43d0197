#include "base/run_properties.h"

#include "base/model_settings.h"
#include "base/run_settings.h"

namespace sightglass {

namespace {

GType mask_sync_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(MaskSync::kExact), "Frames wait for their own result", "exact"},
      {static_cast<gint>(MaskSync::kLatest), "Frames use the newest result; the model runs within gpu-budget",
       "latest"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelMaskSync", values);
  return type;
}

GType on_failure_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(OnFailure::kBlack), "Black frame", "black"},
      {static_cast<gint>(OnFailure::kPass), "Frame without a result, or black if drawing fails", "pass"},
      {static_cast<gint>(OnFailure::kError), "End the stream with an error", "error"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelOnFailure", values);
  return type;
}

}  // namespace

void install_run_properties(GObjectClass* object_class, guint sync_id, guint budget_id, guint failure_id) {
  const RunSettings defaults;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install(sync_id, g_param_spec_enum("mask-sync", "Mask synchronization", "Whether frames wait for their own result",
                                     mask_sync_type(), static_cast<gint>(defaults.mask_sync), kLiveProperty));
  install(budget_id, g_param_spec_uint64("gpu-budget", "GPU budget",
                                         "GPU time in nanoseconds that the model may take per frame with "
                                         "mask-sync=latest (0 = a whole run)",
                                         0, GST_SECOND, defaults.gpu_budget_ns, kLiveProperty));
  install(failure_id, g_param_spec_enum("on-failure", "On failure",
                                        "What to show of frames whose result cannot be computed while playing",
                                        on_failure_type(), static_cast<gint>(defaults.on_failure), kLiveProperty));
}

}  // namespace sightglass

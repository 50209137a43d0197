// What every element that runs a model can be told about it.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

#include "base/model_picture.h"
#include "draw/hud.h"
#include "gobject/properties.h"
#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/tuner.h"

namespace sightglass {

struct ModelSettings {
  std::optional<std::string> model;  // live: takes over once it is compiled
  // Taken over when the element starts.
  std::optional<double> input_scale, input_offset;  // unset: by the model's input
  Precision precision = Precision::kFp32;
  Fallback fallback = Fallback::kError;
  QuantizedModels quantized_models = QuantizedModels::kAllowed;
  std::optional<std::string> cache_dir;  // unset: the user's
  TuningMode tuning = TuningMode::kCached;
  // Live.
  bool hud = false;
  HudPosition hud_position = HudPosition::kTopLeft;
  GstVideoOrientationMethod video_direction = GST_VIDEO_ORIENTATION_AUTO;

  ModelOptions model_options() const { return {.quantized_models = quantized_models}; }
  InputNormalisation normalisation() const;
  // Sets what is the settings' in there.
  void apply_to(PlanOptions& options) const;
  // Where caches lie; empty: nowhere.
  std::string cache_folder() const;
};

// Numbers of properties: of `stats`, which is read-only and none of the settings, of the settings, and from
// kFirstOwnProperty on of those that an element has for itself.
inline constexpr guint kStats = 1, kFirstModelProperty = 2, kFirstOwnProperty = 100;
// The longest `inference-interval`, in frames: two minutes of usual video.
inline constexpr guint kMostInferenceInterval = 3600;

const PropertyTable<ModelSettings>& model_properties();
// Those, and `stats`.
void install_model_properties(GObjectClass* object_class);

}  // namespace sightglass

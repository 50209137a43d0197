// What every element that runs a model can be told about it: one table, from GObject's view to plain settings.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

#include "base/model_picture.h"
#include "draw/hud.h"
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

// Property numbers, from 1; kStats is read-only and not part of the settings.
enum ModelProperty : guint {
  kModel = 1,
  kInputScale,
  kInputOffset,
  kPrecision,
  kFallback,
  kQuantizedModels,
  kCacheDir,
  kTuning,
  kHud,
  kHudPosition,
  kVideoDirection,
  kStats,
};
// The longest `inference-interval`, in frames: two minutes of usual video.
inline constexpr guint kMostInferenceInterval = 3600;
// Numbers of an element's own properties begin here.
inline constexpr guint kFirstOwnProperty = 100;

// Flags of properties: taken over when the element starts; at once, of strings, which have no controllers; at once, and
// by controllers.
inline constexpr auto kReadyProperty =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
inline constexpr auto kPlayingProperty =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
inline constexpr auto kLiveProperty = static_cast<GParamFlags>(kPlayingProperty | GST_PARAM_CONTROLLABLE);

// Registers an enum of a property's values, which end in zeros, under `name`.
GType register_property_enum(const char* name, const GEnumValue* values);

void install_model_properties(GObjectClass* object_class);
// False for a number that is none of the settings. The caller holds whatever guards `settings`.
bool set_model_property(ModelSettings& settings, guint id, const GValue* value);
bool get_model_property(const ModelSettings& settings, guint id, GValue* value);

}  // namespace sightglass

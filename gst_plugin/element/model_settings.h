// The settings of every element that runs a model.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>
#include <string>

#include "draw/hud.h"
#include "element/model_picture.h"
#include "gobject/properties.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/tuner.h"

namespace sightglass {

struct ModelSettings {
  std::optional<std::string> model;  // live: takes over once compiled
  // Read when the element starts.
  std::optional<double> input_scale, input_offset;  // unset: from the model
  std::optional<std::string> input_size;            // of models that leave it open: "256x256"
  Precision precision = Precision::kFp32;
  Fallback fallback = Fallback::kError;
  QuantizedModels quantized_models = QuantizedModels::kAllowed;
  std::optional<std::string> cache_dir;  // unset: the user cache directory
  TuningMode tuning = TuningMode::kCached;
  uint64_t memory_limit = kDefaultMemoryLimit;
  uint64_t dispatch_limit_ns = static_cast<uint64_t>(ResourceLimits().dispatch_time.count());
  uint64_t run_limit_ns = static_cast<uint64_t>(ResourceLimits().run_time.count());
  // Live.
  bool hud = false;
  HudPosition hud_position = HudPosition::kTopLeft;
  std::optional<std::string> notice;
  GstVideoOrientationMethod video_direction = GST_VIDEO_ORIENTATION_AUTO;

  // Fails if the input size is not one.
  Result<ModelOptions> model_options() const;
  InputNormalization normalization() const;
  // Copies the settings that `options` contains.
  void apply_to(PlanOptions& options) const;
  // Whether anything is drawn over the frames besides results.
  bool draws_texts() const { return hud || (notice && !notice->empty()); }
  // The cache directory; empty for none.
  std::string cache_folder() const;
};

// Property IDs: `stats`, which is read-only and not a setting; then the settings; from kFirstOwnProperty, the
// properties of the individual element.
inline constexpr guint kStats = 1, kFirstModelProperty = 2, kFirstOwnProperty = 100;
// Maximum `inference-interval` in frames: two minutes of common video.
inline constexpr guint kMostInferenceInterval = 3600;

const PropertyTable<ModelSettings>& model_properties();
// Installs model_properties() and `stats`.
void install_model_properties(GObjectClass* object_class);

}  // namespace sightglass

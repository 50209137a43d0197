// The properties of glsegment: one table, from GObject's view to plain settings.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gpu_engine/input_transform.h"
#include "gpu_engine/tuner.h"
#include "segment/compositor.h"
#include "segment/mask_model.h"

namespace sightglass {

// Whether a frame waits for its own mask, or is drawn with the newest there is.
enum class MaskSync : uint8_t { kExact, kLatest };

struct SegmentSettings {
  // Taken over when the element starts.
  std::string model;
  std::string classes;
  int output = -1;
  int activation = 0;                               // nick order of the activation enum: auto none sigmoid softmax
  std::optional<double> input_scale, input_offset;  // unset: by the model's input
  int precision = static_cast<int>(Precision::kFp32);
  int fallback = static_cast<int>(Fallback::kError);
  int quantized_models = static_cast<int>(QuantizedModels::kAllowed);
  std::optional<std::string> cache_dir;  // unset: the user's
  int tuning = static_cast<int>(TuningMode::kCached);
  bool attach_mask = false;
  Refine refine = Refine::kNone;
  // Live.
  Look look;
  std::string background_location;
  Fit fit = Fit::kStretch;
  MaskSync mask_sync = MaskSync::kExact;
  uint32_t inference_interval = 1;     // frames from one run of the model to the next
  uint64_t gpu_budget_ns = 5'000'000;  // of the model in each frame with kLatest; 0: no limit
  GstVideoOrientationMethod video_direction = GST_VIDEO_ORIENTATION_AUTO;

  Result<MaskModelOptions> mask_model_options() const;
  // Where caches lie; empty: nowhere.
  std::string cache_folder() const;
};

// Property numbers, from 1; kStats is read-only and not part of the settings.
enum SegmentProperty : guint {
  kModel = 1,
  kClasses,
  kOutput,
  kActivation,
  kInputScale,
  kInputOffset,
  kPrecision,
  kFallback,
  kQuantizedModels,
  kCacheDir,
  kTuning,
  kAttachMask,
  kRefine,
  kBackground,
  kBlurRadius,
  kBackgroundColor,
  kBackgroundLocation,
  kThreshold,
  kSoftness,
  kSmoothing,
  kFit,
  kMaskSync,
  kGpuBudget,
  kInferenceInterval,
  kVideoDirection,
  kStats,
};

void install_segment_properties(GObjectClass* object_class);
// False for a number that is none of the settings. The caller holds whatever guards `settings`.
bool set_segment_property(SegmentSettings& settings, guint id, const GValue* value);
bool get_segment_property(const SegmentSettings& settings, guint id, GValue* value);

}  // namespace sightglass

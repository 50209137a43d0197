// The properties of glsegment that other elements do not have: one table, from GObject's view to plain settings.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/model_settings.h"
#include "base/run_settings.h"
#include "gpu_engine/input_transform.h"
#include "segment/compositor.h"
#include "segment/mask_model.h"
#include "segment/picture.h"
#include "segment/segmenter.h"

namespace sightglass {

// Where masks come from.
enum class MaskSource : uint8_t { kModel, kMeta };

// How the result's colours are stored where it is not opaque.
enum class Alpha : uint8_t { kStraight, kPremultiplied };

struct SegmentSettings {
  // Taken over when the element starts.
  std::optional<std::string> classes;
  int output = -1;
  int activation = 0;  // nick order of the activation enum: auto none sigmoid softmax
  bool attach_mask = false;
  Refine refine = Refine::kNone;
  bool skip_static = false;
  MaskSource mask_source = MaskSource::kModel;
  // Live.
  Look look;
  std::optional<std::string> background_location;
  PictureFit background_fit = PictureFit::kCover;
  Fit fit = Fit::kStretch;
  MaskSync mask_sync = MaskSync::kExact;
  uint32_t inference_interval = 1;     // frames from one run of the model to the next
  uint64_t gpu_budget_ns = 5'000'000;  // of the model in each frame with kLatest; 0: no limit
  OnFailure on_failure = OnFailure::kBackground;

  // Without the normalisation, which is ModelSettings'.
  Result<MaskModelOptions> mask_model_options() const;
};

enum SegmentProperty : guint {
  kClasses = kFirstOwnProperty,
  kOutput,
  kActivation,
  kAttachMask,
  kRefine,
  kBackground,
  kBlurRadius,
  kBackgroundColor,
  kBackgroundLocation,
  kBackgroundFit,
  kAlpha,
  kLightWrap,
  kFeather,
  kOverlayOpacity,
  kLegend,
  kThreshold,
  kSoftness,
  kSmoothing,
  kFit,
  kMaskSync,
  kGpuBudget,
  kInferenceInterval,
  kSkipStatic,
  kMaskSource,
  kStaticThreshold,
  kOnFailure,
};

void install_segment_properties(GObjectClass* object_class);
// False for a number that is none of the settings. The caller holds whatever guards `settings`.
bool set_segment_property(SegmentSettings& settings, guint id, const GValue* value);
bool get_segment_property(const SegmentSettings& settings, guint id, GValue* value);

}  // namespace sightglass

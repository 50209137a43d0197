// The properties of glsegment that other elements do not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/model_settings.h"
#include "base/run_settings.h"
#include "gobject/properties.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/model.h"
#include "segment/compositor.h"
#include "segment/mask_model.h"
#include "segment/picture.h"
#include "segment/segmenter.h"

namespace sightglass {

// Where masks come from.
enum class MaskSource : uint8_t { kModel, kMeta };

struct SegmentSettings {
  // Taken over when the element starts.
  std::optional<std::string> classes;
  int output = -1;
  std::optional<OutputActivation> activation;  // still to be applied; unset: by what the model ends in
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

const PropertyTable<SegmentSettings>& segment_properties();

}  // namespace sightglass

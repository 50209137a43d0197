// The properties of glsegment, and its state across frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "element/model_runtime.h"
#include "element/model_settings.h"
#include "element/run_settings.h"
#include "gobject/properties.h"
#include "segment/compositor.h"
#include "segment/mask_model.h"
#include "segment/mask_pad.h"
#include "segment/picture.h"
#include "segment/segmenter.h"
#include "sightglass/input_transform.h"
#include "sightglass/model.h"

namespace sightglass {

// The properties of glsegment that other elements do not have.
// Where masks come from.
enum class MaskSource : uint8_t { kModel, kMeta };

// How frames look until the model is ready.
enum class Start : uint8_t { kWait, kBlurred };

struct SegmentSettings {
  // Taken over when the element starts.
  std::optional<std::string> classes;
  int output = -1;
  std::optional<OutputActivation> activation;  // still to be applied; unset: by what the model ends in
  bool attach_mask = false;
  std::optional<Refine> refine;  // unset: by the model
  bool skip_static = false;
  MaskSource mask_source = MaskSource::kModel;
  Start start = Start::kWait;
  // Live.
  SegmentLook look;             // see look_for()
  std::optional<bool> islands;  // in `look`, as the next two; unset: by the model
  std::optional<float> smoothing, softness;
  std::optional<std::string> background_location;
  PictureFit background_fit = PictureFit::kCover;
  Fit fit = Fit::kStretch;
  RunSettings run{.on_failure = OnFailure::kBackground};

  // `look`, complete for a model with these defaults.
  SegmentLook look_for(const MaskDefaults& defaults) const;
  Refine refine_for(const MaskDefaults& defaults) const;
  // Without the normalization, which ModelSettings has.
  Result<MaskModelOptions> mask_model_options() const;
};

const PropertyTable<SegmentSettings>& segment_properties();

// State of glsegment across frames.
class SegmentRuntime : public ModelRuntime {
 public:
  // Call it before start() or between frames: from now on frames carry masks even without attach-mask.
  void need_masks(bool needed);
  // Any thread. The size of the next masks, if the element makes any; unknown while stopped.
  bool makes_masks() const;
  std::optional<MaskSize> mask_size() const;

  Status before_frame() override;

  // Input of the frame processor: set by the streaming thread, which waits while the GL thread reads it.
  struct Scene {
    SegmentSettings settings;
    bool needs_masks = false;                // in addition to attach-mask
    std::shared_ptr<const Picture> picture;  // behind the foreground, if any
  };

 private:
  Status set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status begin() override;
  void end() override;
  Result<std::shared_ptr<const LoadedModel>> load(const ModelSettings& settings) const override;
  void adopt(const std::shared_ptr<const LoadedModel>& model) override;
  Status on_device(const DeviceInfo& device) override;
  void update_settings();
  // Whether background=image needs an image; call it with settings_mutex() held.
  bool lacks_picture() const;
  Status update_picture();

  SegmentSettings settings_;           // guarded by settings_mutex()
  bool masks_needed_ = false;          // also
  std::optional<MaskSize> mask_size_;  // also; for the current model
  // From begin() to end(), also guarded: the scene, and the location of an image that could not be shown.
  Background shown_background_ = Background::kBlur;
  std::optional<std::string> missing_picture_;
  SegmentSettings loaded_with_;  // from begin() to end()

  Scene scene_;
  int32_t largest_picture_ = 0;                  // pixels in each direction; since on_device()
  std::optional<std::string> picture_location_;  // of the image in the scene, or of the one that failed to load
};

}  // namespace sightglass

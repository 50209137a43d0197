// What glsegment keeps from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_runtime.h"
#include "segment/mask_model.h"
#include "segment/mask_pad.h"
#include "segment/picture.h"
#include "segment/segment_properties.h"

namespace sightglass {

class SegmentRuntime : public ModelRuntime {
 public:
  // Before start() or a frame: from now on frames carry masks even where attach-mask does not say so.
  void need_masks(bool needed);
  // Any thread. Whether there are masks of its own, and the size of those to come; unknown while stopped.
  bool makes_masks() const;
  std::optional<MaskSize> mask_size() const;

  Status before_frame() override;

  // What the processor draws frames with: the streaming thread sets it, and waits while the GL thread reads it.
  struct Scene {
    SegmentSettings settings;
    bool needs_masks = false;                // besides what attach-mask says
    std::shared_ptr<const Picture> picture;  // behind the foreground, where there is one
  };

 private:
  Status set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status begin() override;
  void end() override;
  Result<std::shared_ptr<const LoadedModel>> load(const ModelSettings& settings) const override;
  void adopt(const std::shared_ptr<const LoadedModel>& model) override;
  Status meet(const DeviceInfo& device) override;
  void update_settings();
  // background=image waits for a picture; with settings_mutex() held.
  bool lacks_picture() const;
  Status update_picture();

  SegmentSettings settings_;           // guarded by settings_mutex()
  bool masks_needed_ = false;          // also
  std::optional<MaskSize> mask_size_;  // also; of the model in effect
  // From begin() to end(), guarded as well: what is shown, and the location of a picture that could not be.
  Background shown_background_ = Background::kBlur;
  std::optional<std::string> missing_picture_;
  SegmentSettings loaded_with_;  // from begin() to end()

  Scene scene_;
  int32_t largest_picture_ = 0;                  // pixels in each direction; since meet()
  std::optional<std::string> picture_location_;  // of what the scene has, or could not be loaded
};

}  // namespace sightglass

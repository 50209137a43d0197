// What glsegment keeps from frame to frame.
#pragma once

#include <memory>
#include <string>

#include "model_runtime.h"
#include "segment/mask_model.h"
#include "segment/picture.h"
#include "segment_properties.h"

namespace sightglass {

class SegmentRuntime : public ModelRuntime {
 public:
  // Before start(): frames are to carry masks whether attach-mask says so or not.
  void need_masks(bool needed);

  Status before_frame() override;
  std::string warning() const override;

  // What the processor draws frames with: the streaming thread sets it, and waits while the GL thread reads it.
  struct Scene {
    SegmentSettings settings;
    std::shared_ptr<const Picture> picture;  // behind the foreground, where there is one
  };

 private:
  bool set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status load(const ModelSettings& settings) override;
  Status load_model(const ModelSettings& settings);
  void unload() override;
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) override;
  SegmentSettings snapshot() const;
  Status update_picture();

  SegmentSettings settings_;   // guarded by settings_mutex()
  bool masks_needed_ = false;  // also
  // From load() to unload(); without a model where masks come as metadata.
  std::shared_ptr<SharedModel> model_;
  MaskModel mask_;
  std::shared_ptr<const Plan> plan_;
  SegmentSettings loaded_with_;

  Scene scene_;
  std::string picture_location_;  // of what the scene has, or could not be loaded
};

}  // namespace sightglass

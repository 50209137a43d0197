// glsegment on one GL context: the effect that runs the model and composites frames with the mask.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "draw/overlay_painter.h"
#include "element/effect.h"
#include "element/loaded_model.h"
#include "element/model_pace.h"
#include "segment/background.h"
#include "segment/camera.h"
#include "segment/class_reader.h"
#include "segment/compositor.h"
#include "segment/mask_filters.h"
#include "segment/mask_model.h"
#include "segment/mask_pad.h"
#include "segment/model_input.h"
#include "segment/people.h"
#include "segment/region.h"
#include "segment/settings.h"
#include "sightglass/input_transform.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass {

// The result is the mask.
class Segmenter : public Effect {
 public:
  // The kind of frames to plan the model for, if incoming frames are of `kind`.
  static FrameKind planned_kind(const DeviceInfo& device, const MaskModel& mask, FrameKind kind) {
    return mask.previous_mask ? FrameKind::kRgba : FrameReader::planned_kind(device, kind);
  }
  // Compiles and uploads everything that the group does not have yet, so that drawing does not. `plan` is that of
  // `mask` for planned_kind().
  static Result<std::unique_ptr<Effect>> create(const GlTarget& target, std::shared_ptr<const Plan> plan,
                                                const MaskModel& mask, const SegmentSettings& settings);

  Status resize(const FrameSize& size, const ElementSettings& settings) override;
  void forget() override;
  Status prepare(FrameJob& job) override;
  size_t stages() const override { return region_ ? region_->stages() : 1; }
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output, Shown shown) override;
  Result<std::optional<ShownMask>> attach(const FrameJob& job) override;

 private:
  Segmenter(const GlTarget& target, const MaskModel& mask);
  Status create_parts(const MaskModel& mask, Refine refine, bool skips, bool follows);
  InputTransform mask_to_upright(const UprightFrame& frame, Fit fit) const {
    return frame.input_to_upright(model_width_, model_height_, fit);
  }
  // The flag for a run on that frame, with still_.
  BufferRange watch(const FrameRef& frame, const InputTransform& mask_to_stored);
  Status feed(const FrameRef& frame, const InputTransform& mask_to_stored);
  // The mask of the model as the look wants it.
  TextureRef postprocess_mask(TextureRef mask);
  // Compiles and allocates what the settings of the frame need to find and to follow people.
  Status prepare_people();
  void see_time(GstClockTime time);
  bool finds_people() const { return look_.main_person || films_; }
  // Draws the frame through the camera.
  Status film(GLuint output);
  Status draw_legend(GLuint output);

  GstGLContext* const context_;  // its thread runs all calls; null outside of pipelines
  const FrameKind read_kind_;
  const MaskDefaults defaults_;
  std::unique_ptr<Session> session_;
  std::optional<Compositor> compositor_;
  std::optional<MaskCleaner> cleaner_;
  std::optional<FramePair> frames_;
  std::optional<MotionField> motion_;
  std::optional<MaskSmoother> smoother_;
  std::optional<ClassReader> classes_;   // if the model distinguishes several
  std::optional<ObjectReader> objects_;  // if the model finds objects
  std::optional<PersonRegion> region_;   // if the model looks at people only
  std::optional<PeopleFinder> people_;   // once it was wanted, as the camera
  std::optional<Camera> camera_;
  GlTexture unframed_;  // what the camera films
  std::unique_ptr<OverlayPainter> painter_;
  std::unique_ptr<StillWatcher> still_;    // if the model does not run on still images
  std::optional<FeedbackInput> feedback_;  // if the model takes its previous mask
  FrameBackdrop backdrop_;
  Refine refine_ = Refine::kNone;
  TextureRef model_mask_;
  TextureRef mask_;  // that one, or without islands, or smoothed
  int32_t model_width_ = 0, model_height_ = 0;
  FrameSize size_;      // of upright frames
  bool warm_ = false;   // the compositor has drawn
  BufferRange wanted_;  // flag of the run; no buffer: it is wanted

  SegmentLook look_;  // of the current frame
  CameraStyle framing_;
  bool films_ = false;  // it is drawn through the camera
  static constexpr float kRest = 10;
  float rests_ = kRest;  // seconds since the camera has followed anyone
  FrameClock clock_;
  float seconds_ = 0, since_mask_ = 0;  // since the previous frame, and since that of the previous mask
  bool is_new_mask_ = false;            // since the last frame
  const size_t input_;                  // of the model: the frame
  Fit fit_ = Fit::kStretch;
  bool has_previous_ = false;       // model_mask_ is that of an earlier frame of the same scene
  bool has_old_state_ = false;      // states of the session, if it has any, are those of another scene
  InputTransform mask_to_upright_;  // of the mask
  InputTransform next_mask_to_upright_;
  bool watched_ = false;  // the mask is that of the image that still_ knows, in this place
  InputTransform watched_place_;
};

// What glsegment composites with: a loaded model, or masks that frames carry.
class LoadedMasks : public LoadedModel {
 public:
  // Size of the next masks, if known.
  virtual std::optional<MaskSize> mask_size() const { return {}; }
};

Result<std::shared_ptr<const LoadedModel>> load_mask_model(const std::string& file,
                                                           std::shared_ptr<const SegmentSettings> settings);
std::shared_ptr<const LoadedModel> use_attached_masks(const SegmentSettings& settings);

}  // namespace sightglass

// Model and compositor on one GL context.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "draw/overlay_painter.h"
#include "element/frame_model.h"
#include "segment/class_reader.h"
#include "segment/compositor.h"
#include "segment/mask_filters.h"
#include "segment/mask_model.h"
#include "segment/model_input.h"
#include "sightglass/device.h"
#include "sightglass/input_transform.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {

struct SegmenterOptions {
  Refine refine = Refine::kNone;
  // render() lets the model run only where the picture has changed. Not for plans that run in part on the CPU.
  bool skip_static = false;
};

// The result is the mask.
class Segmenter : public FrameModel {
 public:
  // What the model's input is to be planned for where frames are of that kind.
  static FrameKind planned_kind(const DeviceInfo& device, const MaskModel& mask, FrameKind kind) {
    return mask.previous_mask ? FrameKind::kRgba : FrameReader::planned_kind(device, kind);
  }
  // Compiles and uploads everything that the group does not have yet: drawing does none of that. `plan` is one
  // of `mask`, `kind` what frames are; its input was planned for planned_kind().
  static Result<std::unique_ptr<Segmenter>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                   std::shared_ptr<const Plan> plan, const MaskModel& mask,
                                                   FrameKind kind, const SegmenterOptions& options = {});

  // Allocates for upright frames of width × height pixels; forgets picture and mask. The first time, drivers are made
  // to finish what they leave to the first draw.
  Status resize(const FrameSize& size);
  // The background picture: dense RGBA of the upright frame's size, and the part of it that is one.
  Status set_picture(std::span<const std::byte> rgba, const PicturePlace& place) {
    return compositor_->set_picture(rgba, place);
  }
  // What is shown behind the foreground from now on: see Compositor.
  void set_video(const TextureRef& texture, float pixel_aspect, PictureFit fit) {
    compositor_->set_video(texture, pixel_aspect, fit);
  }
  // How frames are drawn, and how the model sees them, from now on.
  void set_look(const SegmentLook& look, Fit fit) {
    look_ = look;
    fit_ = fit;
  }

  // What the last frame was composed with, and where that lies in the upright frame.
  const TextureRef& mask() const { return mask_; }
  const InputTransform& mask_place() const { return mask_to_upright_; }

  // How many of the runs the GPU did not take, since the picture had not changed: known some frames after it was asked
  // for.
  void ask_for_skipped();
  uint64_t skipped() { return still_ ? still_->skipped() : 0; }

 private:
  Segmenter(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind)
      : FrameModel(std::move(group), device, kind) {}
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output) override;
  Status draw_without_result(const UprightFrame& frame, GLuint output, OnFailure policy) override;
  void forget_results() override;
  Status create_painters(const MaskModel& mask, const SegmenterOptions& options, bool skips);
  InputTransform mask_to_upright(const UprightFrame& frame, Fit fit) const {
    return frame.input_to_upright(model_width_, model_height_, fit);
  }
  // The flag for a run on that frame; where still_ is.
  BufferRange watch(const FrameRef& frame, const InputTransform& mask_to_stored);
  Status feed(const FrameRef& frame, const InputTransform& mask_to_stored);
  // The mask of the model as the look wants it.
  TextureRef postprocess_mask(TextureRef mask);
  Status draw_legend(GLuint output);

  std::unique_ptr<Session> session_;
  std::optional<Compositor> compositor_;
  std::optional<IslandRemover> islands_;
  std::optional<MotionField> motion_;
  std::optional<MaskSmoother> smoother_;
  std::optional<ClassReader> classes_;  // where the model tells several apart
  std::unique_ptr<OverlayPainter> painter_;
  std::unique_ptr<StillWatcher> still_;  // where still pictures are skipped
  bool watched_ = false;                 // the mask is that of the picture that still_ knows, in this place
  InputTransform watched_place_;
  std::optional<FeedbackInput> feedback_;  // where the model takes its own mask of the frame before
  TextureRef model_mask_;
  TextureRef mask_;  // that one, or without islands, or smoothed
  int32_t model_width_ = 0, model_height_ = 0;
  FrameSize size_;     // of upright frames
  bool warm_ = false;  // the compositor has drawn

  bool has_previous_ = false;       // the model's mask is that of a frame before, of the same stream
  InputTransform mask_to_upright_;  // of the mask
  InputTransform next_mask_to_upright_;
  SegmentLook look_;  // of the last frame
  Fit fit_ = Fit::kStretch;
};

}  // namespace sightglass

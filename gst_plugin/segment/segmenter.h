// Model and compositor on one GL context.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "draw/overlay_painter.h"
#include "gl/frame_reader.h"
#include "gl/gpu_timer.h"
#include "gpu_engine/device.h"
#include "gpu_engine/gl_api.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "segment/class_reader.h"
#include "segment/compositor.h"
#include "segment/feedback_input.h"
#include "segment/mask_model.h"
#include "segment/mask_smoother.h"
#include "segment/model_pace.h"
#include "segment/still_watcher.h"

namespace sightglass {

// What is shown of a frame whose mask could not be computed or drawn with.
enum class OnFailure : uint8_t {
  kBackground,  // all of it as background; black where that cannot be drawn either
  kBlack,
  kPass,   // all of it as foreground
  kError,  // nothing: the failure is the caller's
};

struct SegmenterOptions {
  Refine refine = Refine::kNone;
  // render() lets the model run only where the picture has changed. Not for plans that run in part on the CPU.
  bool skip_static = false;
};

// All calls that make or draw something, the destructor included, need the context current. GL state is as found.
class Segmenter {
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
  Status resize(int32_t width, int32_t height);
  // The background picture: dense RGBA of the upright frame's size, and the part of it that is one.
  Status set_picture(std::span<const std::byte> rgba, const PicturePlace& place) {
    return compositor_->set_picture(rgba, place);
  }
  // What is shown behind the foreground from now on: see Compositor.
  void set_video(const TextureRef& texture, PictureFit fit) { compositor_->set_video(texture, fit); }
  // Runs the model on nothing and waits for it, so that advance() knows its time also where there are no timer queries.
  // Forgets the mask.
  Status measure_model();
  // In place of that, where it has been measured.
  void know_model_ns(double ns) { pace_.add(static_cast<uint64_t>(ns), 1); }

  // Failures of the calls below, GL errors among them, leave no mask. `output` is then not fit to be shown before
  // conceal() has drawn over it.

  // Issues all work for one frame and returns without waiting: the model, then the picture with the frame's own mask.
  // `upright_to_stored` leads from the upright frame to where it lies in `frame`; `output` is a texture of the upright
  // frame's size.
  Status render(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                const Look& look);

  // The same in two steps, where pictures do not wait for the model; they need a mask from before. The first one draws
  // the picture with the mask there is. If `begin` and no run of the model is under way it begins one, with this frame:
  // `frame` is read by this call alone, and `output` is complete after it. advance() then issues as much of the run, if
  // there is one, as the GPU does in about `budget_ns`, at least one operator; 0 is no limit.
  bool has_mask() const { return has_mask_; }
  void forget_mask();
  // A run has been begun, and waits for advance().
  bool is_running() const { return progress_ > 0; }
  Status draw_ahead(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                    const Look& look, bool begin);
  Status advance(uint64_t budget_ns);

  // Draws the frame without a mask, as `policy`, which is not kError, says. What cannot be drawn becomes black; fails
  // where even that cannot be had.
  Status conceal(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, const Look& look,
                 OnFailure policy);

  // What the last frame was composed with, and where that lies in the upright frame.
  const TextureRef& mask() const { return mask_; }
  const InputTransform& mask_place() const { return mask_to_upright_; }

  // Runs of the model that have been issued to their end.
  uint64_t inferences() const { return inferences_; }
  // How many of them the GPU did not take, since the picture had not changed: known some frames after it was asked for.
  void ask_for_skipped();
  uint64_t skipped() { return still_ ? still_->skipped() : 0; }
  // The GPU's time for one run of the model, averaged over the last few; 0 while unknown.
  double model_ns() const { return pace_.run_ns(); }
  // The GPU's time for the latest frame that has become known since the last call.
  std::optional<GpuTimer::Sample> poll_time();

 private:
  explicit Segmenter(std::shared_ptr<ShareGroup> group) : group_(std::move(group)), gl_(group_->gl()) {}
  InputTransform mask_to_upright(Fit fit) const;
  // The flag for a run on that frame, where still_ is.
  BufferRange watch(const FrameRef& frame, const InputTransform& mask_to_stored);
  Status feed(const FrameRef& frame, const InputTransform& mask_to_stored);
  template <typename F>
  Status checked(const char* what, F issue);
  Status draw_whole(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Look look,
                    Coverage coverage);
  // How far the run in parts has come.
  Status note_part(const Result<double>& progress);
  void finish_mask();
  Status draw_legend(GLuint output, const Look& look);

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi& gl_;
  std::unique_ptr<Session> session_;
  std::optional<Compositor> compositor_;
  std::optional<GpuTimer> timer_;
  std::optional<MaskSmoother> smoother_;
  std::optional<ClassReader> classes_;  // where the model tells several apart
  std::unique_ptr<OverlayPainter> painter_;
  std::unique_ptr<StillWatcher> still_;  // where still pictures are skipped
  bool watched_ = false;  // the mask is, or will be, that of the picture that still_ knows, in this place
  InputTransform watched_place_;
  std::optional<FeedbackInput> feedback_;  // where the model takes its own mask of the frame before
  TextureRef model_mask_;
  TextureRef mask_;                         // that one, or what it was smoothed to
  FrameKind kind_ = FrameKind::kRgba;       // of the frames that come
  FrameKind read_kind_ = FrameKind::kRgba;  // of what the model and the compositor read
  FrameReader reader_;
  int32_t model_width_ = 0, model_height_ = 0;
  int32_t width_ = 0, height_ = 0;  // of upright frames
  bool warm_ = false;               // the compositor has drawn

  bool has_mask_ = false;           // of a frame of this size
  bool has_previous_ = false;       // the model's mask is that of a frame before, of the same stream
  InputTransform mask_to_upright_;  // of that mask
  Look look_;                       // of the last frame
  double progress_ = 0;             // of the run in parts that is under way; 0: there is none
  InputTransform next_mask_to_upright_;
  uint64_t inferences_ = 0;
  ModelPace pace_;
};

}  // namespace sightglass

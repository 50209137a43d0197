#include "segment/segmenter.h"

#include <chrono>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gpu_engine/gl_objects.h"

namespace sightglass {

Result<std::unique_ptr<Segmenter>> Segmenter::create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                     std::shared_ptr<const Plan> plan, const MaskModel& mask,
                                                     FrameKind kind, const SegmenterOptions& options) {
  std::unique_ptr<Segmenter> result(new Segmenter(std::move(group)));
  const Shape& input = plan->model().inputs()[0].shape;
  result->model_height_ = input.dim(1);
  result->model_width_ = input.dim(2);
  result->kind_ = kind;
  const GlStateGuard guard(result->gl_, kind);
  const bool skips = options.skip_static && plan->fallback().operators.empty();
  SG_ASSIGN_OR_RETURN(result->session_, Session::create(result->group_, std::move(plan), {.gated = skips}));
  if (mask.classes) {
    SG_ASSIGN_OR_RETURN(const BufferRange scores, result->session_->output_buffer(mask.output));
    SG_ASSIGN_OR_RETURN(ClassReader classes, ClassReader::create(result->group_, *mask.classes, scores));
    result->classes_.emplace(std::move(classes));
    SG_ASSIGN_OR_RETURN(result->painter_, OverlayPainter::create(result->group_));
    result->model_mask_ = result->classes_->texture();
  } else {
    SG_ASSIGN_OR_RETURN(result->model_mask_, result->session_->output_texture(mask.output));
  }
  result->mask_ = result->model_mask_;
  SG_ASSIGN_OR_RETURN(MaskSmoother smoother, MaskSmoother::create(result->group_, result->model_mask_));
  result->smoother_.emplace(std::move(smoother));
  const FrameKind read = FrameReader::planned_kind(device, kind);
  SG_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create(result->group_, read, options.refine));
  result->compositor_.emplace(std::move(compositor));
  if (result->classes_) result->compositor_->set_classes(result->model_mask_);
  if (mask.previous_mask) {
    SG_ASSIGN_OR_RETURN(FeedbackInput feedback,
                        FeedbackInput::create(result->group_, read, result->model_width_, result->model_height_));
    result->feedback_.emplace(std::move(feedback));
  }
  if (skips) {
    SG_ASSIGN_OR_RETURN(result->still_,
                        StillWatcher::create(result->group_, read, result->model_width_, result->model_height_));
  }
  SG_ASSIGN_OR_RETURN(result->reader_, FrameReader::create(result->group_, device, kind));
  result->read_kind_ = read;
  result->timer_.emplace(result->gl_, device.es);
  return result;
}

InputTransform Segmenter::mask_to_upright(Fit fit) const {
  return make_input_transform(width_, height_, model_width_, model_height_, fit);
}

Status Segmenter::resize(int32_t width, int32_t height) {
  width_ = width;
  height_ = height;
  forget_mask();
  SG_RETURN_IF_ERROR(compositor_->resize(width, height));
  if (std::exchange(warm_, true)) return {};
  const GlStateGuard guard(gl_, kind_);
  smoother_->run(0);
  smoother_->reset();
  return compositor_->warm_up(mask_);
}

void Segmenter::forget_mask() {
  has_mask_ = has_previous_ = watched_ = false;
  smoother_->reset();
}

Status Segmenter::feed(const FrameRef& frame, const InputTransform& mask_to_stored) {
  if (!feedback_) return session_->set_input_frame(0, frame, mask_to_stored);
  feedback_->run(frame, mask_to_stored, has_previous_ ? &model_mask_ : nullptr);
  return session_->set_input_frame(0, feedback_->frame());
}

BufferRange Segmenter::watch(const FrameRef& frame, const InputTransform& mask_to_stored) {
  const bool force = !std::exchange(watched_, true) || watched_place_.m != mask_to_stored.m;
  watched_place_ = mask_to_stored;
  return still_->watch(frame, mask_to_stored, look_.static_threshold, force);
}

void Segmenter::ask_for_skipped() {
  const GlStateGuard guard(gl_, kind_);
  if (still_) still_->ask_for_skipped();
}

Status Segmenter::measure_model() {
  forget_mask();
  const GlStateGuard guard(gl_, kind_);
  GlTexture nothing;
  if (read_kind_ == FrameKind::kExternal) {
    GLuint id = 0;
    gl_.GenTextures(1, &id);  // without an image: sampling it gives black
    nothing = {gl_, id};
  } else {
    nothing = make_texture(gl_, GL_RGBA8, 1, 1);
  }
  FrameRef frame(TextureRef{nothing.id(), GL_TEXTURE_2D, 1, 1});
  frame.kind = read_kind_;
  frame.textures.fill(nothing.id());
  SG_RETURN_IF_ERROR(session_->set_input_frame(0, feedback_ ? feedback_->frame() : frame));
  // The first of them has what drivers leave to a first run.
  for (int i = 0; i < 2; ++i) {
    SG_RETURN_IF_ERROR(wait_for_gpu(gl_));
    const auto begin = std::chrono::steady_clock::now();
    SG_RETURN_IF_ERROR(session_->run());
    SG_RETURN_IF_ERROR(wait_for_gpu(gl_));
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
    if (i > 0) pace_.add(static_cast<uint64_t>(time.count()), 1);
  }
  return session_->reset_state();
}

// GL's errors are all that tells of a driver without memory or a context that is lost; they are others' before `issue`,
// ours after it.
template <typename F>
Status Segmenter::checked(const char* what, F issue) {
  clear_gl_errors(gl_);
  Status status = issue();
  if (status.ok()) status = check_gl(gl_, what);
  if (status.ok()) return status;
  progress_ = 0;
  forget_mask();
  return status;
}

Status Segmenter::render(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                         const Look& look) {
  const GlStateGuard guard(gl_, kind_);
  timer_->start();
  if (std::exchange(progress_, 0) > 0) watched_ = false;  // what that run was to see has no mask
  look_ = look;
  has_mask_ = false;
  mask_to_upright_ = mask_to_upright(fit);
  return checked("segmenting a frame", [&]() -> Status {
    SG_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(frame));
    const InputTransform mask_to_stored = mask_to_upright_.then(upright_to_stored);
    SG_RETURN_IF_ERROR(feed(read, mask_to_stored));
    if (still_) {
      const BufferRange flag = watch(read, mask_to_stored);
      SG_RETURN_IF_ERROR(session_->run_if(flag.buffer, flag.offset));
    } else {
      SG_RETURN_IF_ERROR(session_->run());
    }
    finish_mask();
    timer_->middle();
    SG_RETURN_IF_ERROR(compositor_->draw(read, upright_to_stored, mask_, mask_to_upright_, output, look));
    SG_RETURN_IF_ERROR(draw_legend(output, look));
    timer_->end({.model_first = true, .model_share = 1});
    return {};
  });
}

Status Segmenter::draw_ahead(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                             const Look& look, bool begin) {
  const GlStateGuard guard(gl_, kind_);
  timer_->start();
  look_ = look;
  return checked("drawing a frame", [&]() -> Status {
    SG_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(frame));
    if (begin && progress_ == 0) {
      // The least part has the operators that read the frame. They come before the picture, since it is with the
      // picture that whoever owns the frame is told that its memory may be written again.
      constexpr double kLeast = 1e-9;
      next_mask_to_upright_ = mask_to_upright(fit);
      const InputTransform mask_to_stored = next_mask_to_upright_.then(upright_to_stored);
      SG_RETURN_IF_ERROR(feed(read, mask_to_stored));
      const BufferRange flag = still_ ? watch(read, mask_to_stored) : BufferRange{};
      SG_RETURN_IF_ERROR(
          note_part(still_ ? session_->run_part_if(kLeast, flag.buffer, flag.offset) : session_->run_part(kLeast)));
    }
    SG_RETURN_IF_ERROR(compositor_->draw(read, upright_to_stored, mask_, mask_to_upright_, output, look));
    SG_RETURN_IF_ERROR(draw_legend(output, look));
    timer_->middle();
    return {};
  });
}

Status Segmenter::advance(uint64_t budget_ns) {
  const GlStateGuard guard(gl_, kind_);
  return checked("running the model behind a frame", [&]() -> Status {
    double share = 0;
    if (progress_ > 0) {
      const double before = progress_;
      SG_RETURN_IF_ERROR(note_part(session_->run_part(pace_.share_of(budget_ns))));
      share = (progress_ > 0 ? progress_ : 1) - before;
    }
    timer_->end({.model_first = false, .model_share = share});
    return {};
  });
}

Status Segmenter::draw_whole(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Look look,
                             Coverage coverage) {
  look.coverage = coverage;
  return checked("drawing a frame without a mask", [&]() -> Status {
    SG_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(frame));
    return compositor_->draw(read, upright_to_stored, mask_, mask_to_upright_, output, look);
  });
}

Status Segmenter::conceal(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output,
                          const Look& look, OnFailure policy) {
  const GlStateGuard guard(gl_, kind_);
  mask_to_upright_ = mask_to_upright(Fit::kStretch);
  if (policy != OnFailure::kBlack) {
    const bool pass = policy == OnFailure::kPass;
    const Coverage coverage = pass ? Coverage::kAllForeground : Coverage::kAllBackground;
    if (draw_whole(frame, upright_to_stored, output, look, coverage).ok()) return {};
  }
  return checked("drawing black", [&] { return compositor_->draw_black(output); });
}

Status Segmenter::note_part(const Result<double>& progress) {
  progress_ = 0;  // what fails is not gone on with
  if (!progress.ok()) return progress.status();
  progress_ = *progress;
  if (progress_ < 1) return {};
  progress_ = 0;
  mask_to_upright_ = next_mask_to_upright_;
  finish_mask();
  return {};
}

void Segmenter::finish_mask() {
  ++inferences_;
  has_mask_ = has_previous_ = true;
  if (classes_) {
    classes_->run();
    classes_->lay_out_legend(height_);  // also while it is not shown: it counts anew then
  }
  mask_ = model_mask_;
  if (look_.smoothing > 0) {
    mask_ = smoother_->run(look_.smoothing);
  } else {
    smoother_->reset();
  }
}

Status Segmenter::draw_legend(GLuint output, const Look& look) {
  if (!classes_ || look.background != Background::kOverlay || !look.legend) return {};
  const PrimitiveRange legend = classes_->legend();
  return painter_->draw({output, GL_TEXTURE_2D, width_, height_}, {&legend, 1});
}

std::optional<GpuTimer::Sample> Segmenter::poll_time() {
  const std::optional<GpuTimer::Sample> sample = timer_->poll();
  if (!sample) return {};
  // A run that the GPU leaves out takes next to nothing, and says nothing of one that takes place.
  constexpr double kLeftOut = 0.1;
  const bool left_out =
      still_ && static_cast<double>(sample->model_ns) < kLeftOut * sample->model_share * pace_.run_ns();
  if (sample->model_share > 0 && !left_out) pace_.add(sample->model_ns, sample->model_share);
  return sample;
}

}  // namespace sightglass

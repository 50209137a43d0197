#include "segment/segmenter.h"

#include <chrono>
#include <utility>

#include "gpu_engine/gl_objects.h"
#include "segment/gl_state_guard.h"

namespace sightglass {

Result<std::unique_ptr<Segmenter>> Segmenter::create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                     std::shared_ptr<const Plan> plan, size_t output, FrameKind kind,
                                                     Refine refine) {
  std::unique_ptr<Segmenter> result(new Segmenter(std::move(group)));
  const Shape& input = plan->model().inputs()[0].shape;
  result->model_height_ = input.dim(1);
  result->model_width_ = input.dim(2);
  result->kind_ = kind;
  const GlStateGuard guard(result->gl_, kind);
  SG_ASSIGN_OR_RETURN(result->session_, Session::create(result->group_, std::move(plan)));
  SG_ASSIGN_OR_RETURN(result->model_mask_, result->session_->output_texture(output));
  result->mask_ = result->model_mask_;
  SG_ASSIGN_OR_RETURN(MaskSmoother smoother, MaskSmoother::create(result->group_, result->model_mask_));
  result->smoother_.emplace(std::move(smoother));
  const FrameKind read = planned_kind(device, kind);
  SG_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create(result->group_, read, refine));
  result->compositor_.emplace(std::move(compositor));
  if (read != kind) {
    SG_ASSIGN_OR_RETURN(ExternalCopy copy, ExternalCopy::create(result->group_));
    result->copy_.emplace(std::move(copy));
  }
  result->timer_.emplace(result->gl_, device.es);
  return result;
}

Result<FrameRef> Segmenter::readable(const FrameRef& frame) {
  if (!copy_) return frame;
  return copy_->copy(frame);
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
  has_mask_ = false;
  smoother_->reset();
}

Status Segmenter::measure_model() {
  forget_mask();
  const GlStateGuard guard(gl_, kind_);
  GlTexture nothing;
  if (kind_ == FrameKind::kExternal && !copy_) {
    GLuint id = 0;
    gl_.GenTextures(1, &id);  // without an image: sampling it gives black
    nothing = {gl_, id};
  } else {
    nothing = make_texture(gl_, GL_RGBA8, 1, 1);
  }
  FrameRef frame(TextureRef{nothing.id(), GL_TEXTURE_2D, 1, 1});
  frame.kind = copy_ ? FrameKind::kRgba : kind_;
  frame.textures.fill(nothing.id());
  SG_RETURN_IF_ERROR(session_->set_input_frame(0, frame));
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

Status Segmenter::render(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                         const Look& look) {
  const GlStateGuard guard(gl_, kind_);
  timer_->start();
  progress_ = 0;
  has_mask_ = false;
  mask_to_upright_ = mask_to_upright(fit);
  SG_ASSIGN_OR_RETURN(const FrameRef read, readable(frame));
  SG_RETURN_IF_ERROR(session_->set_input_frame(0, read, mask_to_upright_.then(upright_to_stored)));
  SG_RETURN_IF_ERROR(session_->run());
  finish_mask(look.smoothing);
  timer_->middle();
  SG_RETURN_IF_ERROR(compositor_->draw(read, upright_to_stored, mask_, mask_to_upright_, output, look));
  timer_->end({.model_first = true, .model_share = 1});
  return {};
}

Status Segmenter::draw_ahead(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                             const Look& look, bool begin) {
  const GlStateGuard guard(gl_, kind_);
  timer_->start();
  smoothing_ = look.smoothing;
  SG_ASSIGN_OR_RETURN(const FrameRef read, readable(frame));
  if (begin && progress_ == 0) {
    // The least part has the operators that read the frame. They come before the picture, since it is with the picture
    // that whoever owns the frame is told that its memory may be written again.
    constexpr double kLeast = 1e-9;
    next_mask_to_upright_ = mask_to_upright(fit);
    SG_RETURN_IF_ERROR(session_->set_input_frame(0, read, next_mask_to_upright_.then(upright_to_stored)));
    SG_RETURN_IF_ERROR(run_part(kLeast));
  }
  SG_RETURN_IF_ERROR(compositor_->draw(read, upright_to_stored, mask_, mask_to_upright_, output, look));
  timer_->middle();
  return {};
}

Status Segmenter::advance(uint64_t budget_ns) {
  const GlStateGuard guard(gl_, kind_);
  double share = 0;
  if (progress_ > 0) {
    const double before = progress_;
    SG_RETURN_IF_ERROR(run_part(pace_.share_of(budget_ns)));
    share = (progress_ > 0 ? progress_ : 1) - before;
  }
  timer_->end({.model_first = false, .model_share = share});
  return {};
}

Status Segmenter::run_part(double share) {
  progress_ = 0;  // what fails is not gone on with
  SG_ASSIGN_OR_RETURN(progress_, session_->run_part(share));
  if (progress_ < 1) return {};
  progress_ = 0;
  mask_to_upright_ = next_mask_to_upright_;
  finish_mask(smoothing_);
  return {};
}

void Segmenter::finish_mask(float smoothing) {
  ++inferences_;
  has_mask_ = true;
  mask_ = model_mask_;
  if (smoothing > 0) {
    mask_ = smoother_->run(smoothing);
  } else {
    smoother_->reset();
  }
}

std::optional<GpuTimer::Sample> Segmenter::poll_time() {
  const std::optional<GpuTimer::Sample> sample = timer_->poll();
  if (!sample || ++timed_frames_ <= kWarmUpFrames) return {};
  if (sample->model_share > 0) pace_.add(sample->model_ns, sample->model_share);
  return sample;
}

}  // namespace sightglass

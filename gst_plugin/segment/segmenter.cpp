#include "segment/segmenter.h"

#include <utility>

#include "segment/gl_state_guard.h"

namespace sightglass {

Result<std::unique_ptr<Segmenter>> Segmenter::create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                     std::shared_ptr<const Plan> plan, size_t output, FrameKind kind) {
  std::unique_ptr<Segmenter> result(new Segmenter(std::move(group)));
  const Shape& input = plan->model().inputs()[0].shape;
  result->model_height_ = input.dim(1);
  result->model_width_ = input.dim(2);
  result->kind_ = kind;
  const GlStateGuard guard(result->gl_, kind);
  SG_ASSIGN_OR_RETURN(result->session_, Session::create(result->group_, std::move(plan)));
  SG_ASSIGN_OR_RETURN(result->mask_, result->session_->output_texture(output));
  SG_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create(result->group_, kind));
  result->compositor_.emplace(std::move(compositor));
  result->timer_.emplace(result->gl_, device.es);
  return result;
}

Status Segmenter::resize(int32_t width, int32_t height) {
  width_ = width;
  height_ = height;
  SG_RETURN_IF_ERROR(compositor_->resize(width, height));
  if (std::exchange(warm_, true)) return {};
  const GlStateGuard guard(gl_, kind_);
  return compositor_->warm_up();
}

Status Segmenter::render(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                         const Look& look) {
  const InputTransform to_upright = make_input_transform(width_, height_, model_width_, model_height_, fit);
  const GlStateGuard guard(gl_, kind_);
  timer_->mark(GpuTimer::kFrameStart);
  SG_RETURN_IF_ERROR(session_->set_input_frame(0, frame, to_upright.then(upright_to_stored)));
  SG_RETURN_IF_ERROR(session_->run());
  timer_->mark(GpuTimer::kModelEnd);
  SG_RETURN_IF_ERROR(compositor_->draw(frame, upright_to_stored, mask_, to_upright, output, look));
  timer_->mark(GpuTimer::kFrameEnd);
  return {};
}

}  // namespace sightglass

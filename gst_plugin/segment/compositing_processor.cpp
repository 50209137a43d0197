#include "segment/compositing_processor.h"

#include <utility>

#include "gl/gl_state_guard.h"

namespace sightglass {

CompositingProcessor::CompositingProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene,
                                           FrameReader reader, Compositor compositor)
    : group_(target.group),
      gl_(group_->gl()),
      context_(target.context),
      kind_(target.frame),
      scene_(scene),
      reader_(std::move(reader)),
      compositor_(std::move(compositor)),
      timer_(gl_, target.device.es),
      nothing_(make_texture(gl_, GL_R8, 1, 1)) {}

std::optional<GpuTime> CompositingProcessor::poll_time() {
  const std::optional<GpuTimer::Sample> sample = timer_.poll();
  if (!sample) return {};
  return GpuTime{0, sample->other_ns, sample->other_ns};
}

Status CompositingProcessor::set_size(const FrameSize& size) {
  size_ = size;
  picture_.forget();
  return compositor_.resize(size.width, size.height, size.pixel_aspect);
}

Status CompositingProcessor::update_picture() {
  return picture_.update(scene_, size_, [this](const auto& pixels, const PicturePlace& place) {
    return compositor_.set_picture(pixels, place);
  });
}

Status CompositingProcessor::draw(const FrameJob& job, const TextureRef& mask, const InputTransform& place,
                                  const SegmentLook& look, const char* task) {
  const GlStateGuard guard(gl_, kind_);
  timer_.start();
  timer_.middle();
  clear_gl_errors(gl_);
  SIGHTGLASS_ASSIGN_OR_RETURN(const FrameRef read, reader_.readable(job.frame.stored));
  SIGHTGLASS_RETURN_IF_ERROR(compositor_.draw(read, job.frame.upright_to_stored, mask, place, job.output, look));
  timer_.end({});
  return check_gl(gl_, task);
}

}  // namespace sightglass

#include "pose/pose_estimator.h"

#include <utility>

#include "gl/gl_state_guard.h"
#include "gpu_engine/gl_objects.h"

namespace sightglass {

Result<std::unique_ptr<PoseEstimator>> PoseEstimator::create(std::shared_ptr<ShareGroup> group,
                                                             const DeviceInfo& device, const PoseModel& model,
                                                             std::unique_ptr<PersonFinder> finder, FrameKind kind) {
  std::unique_ptr<PoseEstimator> result(new PoseEstimator(std::move(group)));
  const std::shared_ptr<ShareGroup>& shared = result->group_;
  const GlStateGuard guard(shared->gl(), kind);
  result->kind_ = kind;
  result->usual_person_score_ = usual_person_score(model.kind);
  result->finder_ = std::move(finder);
  SG_ASSIGN_OR_RETURN(FrameReader reader, FrameReader::create(shared, device, kind));
  result->reader_.emplace(std::move(reader));
  SG_ASSIGN_OR_RETURN(FramePainter frame_painter, FramePainter::create(shared, planned_kind(device, kind)));
  result->frame_painter_.emplace(std::move(frame_painter));
  SG_ASSIGN_OR_RETURN(PersonFollower follower, PersonFollower::create(shared));
  result->follower_.emplace(std::move(follower));
  SG_ASSIGN_OR_RETURN(result->skeletons_, SkeletonPainter::create(shared, *model.skeleton));
  result->timer_.emplace(shared->gl(), device.es);
  return result;
}

Status PoseEstimator::resize(int32_t width, int32_t height) {
  width_ = width;
  height_ = height;
  forget();
  return std::exchange(warm_, true) ? Status() : warm_up();
}

Status PoseEstimator::warm_up() {
  const GlApi& gl = group_->gl();
  GlTexture nothing, output;
  {
    const GlStateGuard guard(gl, kind_);
    GLuint id = 0;
    gl.GenTextures(1, &id);  // without an image: sampling it gives black
    nothing = {gl, id};
    output = make_texture(gl, GL_RGBA8, width_, height_);
  }
  FrameRef frame;
  frame.kind = kind_;
  frame.width = width_;
  frame.height = height_;
  frame.chroma_size = {width_, height_};
  frame.textures.fill(nothing.id());
  SG_RETURN_IF_ERROR(process(frame, {}, output.id(), {}, 0));
  forget();
  return wait_for_gpu(gl);
}

Status PoseEstimator::find(const FrameRef& read, const InputTransform& upright_to_stored, const PoseLook& look,
                           float seconds) {
  if (std::exchange(is_new_, false)) seconds = -1;
  SG_RETURN_IF_ERROR(finder_->find({read, upright_to_stored, width_, height_},
                                   {.max_persons = look.max_persons,
                                    .person_score = look.person_score.value_or(usual_person_score_),
                                    .seconds = seconds}));
  follower_->run(finder_->found(), width_, height_,
                 {.seconds = seconds,
                  .min_cutoff = look.smoothing ? look.min_cutoff : 0,
                  .beta = look.beta,
                  .visibility = look.style.visibility,
                  .presence = look.style.presence});
  return {};
}

Status PoseEstimator::process(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output,
                              const PoseLook& look, std::optional<float> seconds) {
  const GlStateGuard guard(group_->gl(), kind_);
  clear_gl_errors(group_->gl());
  timer_->start();
  SG_ASSIGN_OR_RETURN(const FrameRef read, reader_->readable(frame));
  if (seconds) SG_RETURN_IF_ERROR(find(read, upright_to_stored, look, *seconds));
  timer_->middle();
  const TextureRef picture{output, GL_TEXTURE_2D, width_, height_};
  SG_RETURN_IF_ERROR(frame_painter_->draw(read, upright_to_stored, picture));
  if (look.draw) SG_RETURN_IF_ERROR(skeletons_->draw(persons(), picture, look.style));
  timer_->end({.model_first = true, .model_share = seconds ? 1.0 : 0.0});
  return check_gl(group_->gl(), "finding poses in a frame");
}

}  // namespace sightglass

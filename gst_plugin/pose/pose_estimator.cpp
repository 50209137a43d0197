#include "pose/pose_estimator.h"

#include <utility>

#include "gl/gl_state_guard.h"
#include "pose/log.h"
#include "sightglass/gl_objects.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

Result<std::unique_ptr<PoseEstimator>> PoseEstimator::create(std::shared_ptr<ShareGroup> group,
                                                             const DeviceInfo& device, const PoseModel& model,
                                                             std::unique_ptr<PersonFinder> finder, FrameKind kind) {
  std::unique_ptr<PoseEstimator> result(new PoseEstimator(std::move(group), device, kind));
  const std::shared_ptr<ShareGroup>& shared = result->group_;
  const GlStateGuard guard(shared->gl(), kind);
  result->usual_person_score_ = usual_person_score(model.kind);
  result->finder_ = std::move(finder);
  SIGHTGLASS_RETURN_IF_ERROR(result->create_reader(device, life_of_frames(model.kind)));
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter frame_painter, FramePainter::create(shared, result->read_kind()));
  result->frame_painter_.emplace(std::move(frame_painter));
  SIGHTGLASS_ASSIGN_OR_RETURN(PersonFollower follower, PersonFollower::create(shared));
  result->follower_.emplace(std::move(follower));
  SIGHTGLASS_ASSIGN_OR_RETURN(result->skeletons_, SkeletonPainter::create(shared, *model.skeleton));
  return result;
}

Status PoseEstimator::resize(const FrameSize& size) {
  size_ = size;
  forget();
  return std::exchange(warm_, true) ? Status() : warm_up(size.width, size.height);
}

void PoseEstimator::forget_results() {
  is_new_ = true;
  seconds_ = 0;
}

Result<ModelStage> PoseEstimator::begin_stage(size_t stage, const UprightFrame& frame) {
  if (stage == 0) {
    const float since = std::exchange(seconds_, 0.0F);
    const float seconds = std::exchange(is_new_, false) ? -1 : since;
    finder_->set_options({.max_persons = look_.max_persons,
                          .person_score = look_.person_score.value_or(usual_person_score_),
                          .seconds = seconds});
    follow_ = {.seconds = seconds,
               .min_cutoff = look_.smoothing ? look_.min_cutoff : 0,
               .beta = look_.beta,
               .visibility = look_.style.visibility,
               .presence = look_.style.presence};
  }
  GST_LOG_OBJECT(log_object(), "%s", stage + 1 == stages() ? "model: runs" : "detector: runs");
  return finder_->begin_stage(stage, frame);
}

Status PoseEstimator::end_stage(size_t stage) {
  SIGHTGLASS_RETURN_IF_ERROR(finder_->end_stage(stage));
  if (stage + 1 < stages()) return {};
  GST_TRACE_OBJECT(log_object(), "pass: following people, %g s since the last run",
                   static_cast<double>(follow_.seconds));
  follower_->run(finder_->found(), size_.shown_width(), size_.height, follow_);
  return {};
}

Status PoseEstimator::draw(const UprightFrame& frame, GLuint output) {
  GST_LOG_OBJECT(log_object(), "draw: frame%s", look_.draw ? " and skeletons" : "");
  const TextureRef picture{output, GL_TEXTURE_2D, size_.width, size_.height};
  SIGHTGLASS_RETURN_IF_ERROR(frame_painter_->draw(frame.stored, frame.upright_to_stored, picture));
  return look_.draw ? skeletons_->draw(persons(), picture, size_.shown_width(), look_.style) : Status();
}

Status PoseEstimator::draw_without_result(const UprightFrame& frame, GLuint output, OnFailure /*policy*/) {
  return frame_painter_->draw(frame.stored, frame.upright_to_stored,
                              {output, GL_TEXTURE_2D, size_.width, size_.height});
}

}  // namespace sightglass

#include "pose/pose_estimator.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "meta/persons.h"
#include "model_store.h"
#include "pose/shaders.h"
#include "sightglass/gl_objects.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

namespace {

// Cutoff of the speed in the One-Euro filter in Hz, as chosen by its authors.
constexpr float kCutOffOfSpeed = 1;

// Tracks of the shader in std430 layout.
struct Filtered {
  std::array<float, 12> numbers;
};
struct Track {
  std::array<float, 4> box, motion;
  std::array<int32_t, 4> id;
  std::array<Filtered, 2 * kMaxKeyPoints> points;
};
constexpr GLsizeiptr kTracksBytes = 16 + kMaxPersons * static_cast<GLsizeiptr>(sizeof(Track));

}  // namespace

Result<PersonFollower> PersonFollower::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {{kFollowShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  PersonFollower follower(group->gl(), std::move(programs[0]));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating person tracker buffers"));
  return follower;
}

PersonFollower::PersonFollower(const GlApi& gl, SharedProgram program)
    : gl_(&gl), program_(std::move(program)), block_(gl) {
  const std::vector<std::byte> nobody(kTracksBytes);
  tracks_ = make_storage(gl, kTracksBytes, nobody.data());
  const Persons none;
  persons_ = make_storage(gl, sizeof(Persons), &none);
}

BufferRange PersonFollower::persons() const { return {persons_.id(), 0, sizeof(Persons)}; }

void PersonFollower::run(const BufferRange& found, int32_t width, int32_t height, const FollowOptions& options) {
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_,
                {{options.seconds, options.min_cutoff, options.beta, kCutOffOfSpeed},
                 {static_cast<float>(width), static_cast<float>(height), options.visibility, options.presence},
                 {static_cast<int32_t>(options.limbs), 0, 0, 0}});
  pass.storage({found, {tracks_.id(), 0, kTracksBytes}, persons()});
  pass.dispatch(program_->id());
}

namespace {

GLsizei primitives_of(const Skeleton& skeleton) {
  return kMaxPersons * static_cast<GLsizei>(skeleton.bones.size() + skeleton.points.size());
}

}  // namespace

Result<std::unique_ptr<SkeletonPainter>> SkeletonPainter::create(const std::shared_ptr<ShareGroup>& group,
                                                                 const Skeleton& skeleton) {
  if (skeleton.bones.size() > kBones) return invalid_argument(std::string(skeleton.name) + " has too many bones");
  const ProgramKey keys[] = {{kSkeletonShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<OverlayPainter> overlay, OverlayPainter::create(group));
  clear_gl_errors(group->gl());
  std::unique_ptr<SkeletonPainter> painter(
      new SkeletonPainter(group, skeleton, std::move(programs[0]), std::move(overlay)));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating skeleton buffers"));
  return painter;
}

SkeletonPainter::SkeletonPainter(std::shared_ptr<ShareGroup> group, const Skeleton& skeleton, SharedProgram program,
                                 std::unique_ptr<OverlayPainter> painter)
    : group_(std::move(group)),
      skeleton_(skeleton),
      program_(std::move(program)),
      painter_(std::move(painter)),
      primitives_(group_->gl(), primitives_of(skeleton)),
      block_(group_->gl()) {}

Status SkeletonPainter::draw(const BufferRange& persons, const TextureRef& picture, int32_t shown_width,
                             const SkeletonStyle& style) {
  // Widths of lines, and radii of points, in the frame height: 4 and 5 pixels of 720.
  constexpr float kLinesPerHeight = 180, kPointsPerHeight = 144, kLeast = 1.5F;
  const auto height = static_cast<float>(picture.height);
  const auto sized = [&](float pixels, float per_height) {
    return pixels < 0 ? std::max(height / per_height, kLeast) : pixels;
  };
  Block block{style.line_color,
              style.point_color,
              {0.5F * sized(style.line_width, kLinesPerHeight), sized(style.point_radius, kPointsPerHeight),
               static_cast<float>(shown_width), height},
              {style.visibility, style.presence, 0, 0},
              {static_cast<int32_t>(skeleton_.bones.size()), static_cast<int32_t>(skeleton_.points.size()), 0, 0},
              {}};
  for (size_t i = 0; i < skeleton_.bones.size(); ++i) {
    block.bones[2 * i] = skeleton_.bones[i].first;
    block.bones[2 * i + 1] = skeleton_.bones[i].second;
  }
  const PrimitiveRange range = primitives_.range();
  {
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({persons, primitives_.storage()});
    pass.dispatch(program_->id(), groups_of(range.count));
  }
  const PrimitiveRange ranges[] = {range};
  return painter_->draw(picture, ranges, shown_width);
}

namespace {

Limbs limbs_of(const Skeleton* skeleton) {
  if (skeleton == &blazepose_skeleton()) return Limbs::kBlazePose;
  return skeleton == &coco_skeleton() ? Limbs::kCoco : Limbs::kNone;
}

// Logs people who appear or are lost, if results reach the CPU.
class PeopleLog {
 public:
  explicit PeopleLog(GstElement* element) : element_(element) {}

  void note(const std::vector<ResultObject>& people) {
    if (!is_logged(GST_CAT_DEFAULT, GST_LEVEL_DEBUG)) return;
    std::vector<int32_t> ids;
    for (const ResultObject& person : people) {
      ids.push_back(person.id);
      if (std::erase(ids_, person.id) > 0) continue;
      GST_DEBUG_OBJECT(element_, "person %d found: score %.2f", person.id, static_cast<double>(person.score));
    }
    for (const int32_t id : ids_) GST_DEBUG_OBJECT(element_, "person %d lost", id);
    ids_ = std::move(ids);
  }

 private:
  GstElement* element_;
  std::vector<int32_t> ids_;  // of the people in the previous results
};

}  // namespace

PoseEstimator::PoseEstimator(const GlTarget& target, const PoseModel& model, std::unique_ptr<PersonFinder> finder)
    : Effect(target.group),
      usual_person_score_(usual_person_score(model.kind)),
      limbs_(limbs_of(model.skeleton)),
      finder_(std::move(finder)) {}

Result<std::unique_ptr<Effect>> PoseEstimator::create(const GlTarget& target, GstElement* element,
                                                      const PoseModel& model, std::unique_ptr<PersonFinder> finder) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  std::unique_ptr<PoseEstimator> result(new PoseEstimator(target, model, std::move(finder)));
  const FrameKind read = planned_kind(target.device, model.kind, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter frame_painter, FramePainter::create(target.group, read));
  result->frame_painter_.emplace(std::move(frame_painter));
  SIGHTGLASS_ASSIGN_OR_RETURN(PersonFollower follower, PersonFollower::create(target.group));
  result->follower_.emplace(std::move(follower));
  SIGHTGLASS_ASSIGN_OR_RETURN(result->skeletons_, SkeletonPainter::create(target.group, *model.skeleton));
  result->traits_ = {.life = life_of_frames(model.kind),
                     .warms_up = true,
                     .mask = result->finder_->mask(),
                     .found = result->follower_->persons(),
                     .decode = [title = model_title(model.model->name()), skeleton = model.skeleton,
                                log = PeopleLog(element)](std::span<const std::byte> bytes, const FrameStamp&) mutable {
                       InferenceResults results{title, {}, persons_of(bytes, *skeleton), {}};
                       log.note(results.objects);
                       return results;
                     }};
  return std::unique_ptr<Effect>(std::move(result));
}

Status PoseEstimator::resize(const FrameSize& size, const ElementSettings& /*settings*/) {
  size_ = size;
  return {};
}

void PoseEstimator::forget() { clock_.forget(); }

Status PoseEstimator::prepare(FrameJob& job) {
  job.is_new_scene = clock_.is_new_at(job.time);
  look_ = static_cast<const PoseSettings&>(*job.settings).look;
  return {};
}

Result<ModelStage> PoseEstimator::begin_stage(size_t stage, const UprightFrame& frame) {
  if (stage == 0) {
    const float seconds = clock_.seconds_of_run();
    finder_->set_options({.max_persons = look_.max_persons,
                          .person_score = look_.person_score.value_or(usual_person_score_),
                          .seconds = seconds,
                          .fit = look_.fit,
                          .limb_limits = look_.limb_limits});
    follow_ = {.seconds = seconds,
               .min_cutoff = look_.smoothing ? look_.min_cutoff : 0,
               .beta = look_.beta,
               .visibility = look_.style.visibility,
               .presence = look_.style.presence,
               .limbs = look_.limb_limits ? limbs_ : Limbs::kNone};
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

Status PoseEstimator::draw(const UprightFrame& frame, GLuint output, Shown shown) {
  const bool draws = shown == Shown::kResult && look_.draw;
  if (shown == Shown::kResult) GST_LOG_OBJECT(log_object(), "draw: frame%s", draws ? " and skeletons" : "");
  const TextureRef picture{output, GL_TEXTURE_2D, size_.width, size_.height};
  SIGHTGLASS_RETURN_IF_ERROR(frame_painter_->draw(frame.stored, frame.upright_to_stored, picture));
  return draws ? skeletons_->draw(follower_->persons(), picture, size_.shown_width(), look_.style) : Status();
}

// The model outputs masks only if requested.
Result<std::optional<ShownMask>> PoseEstimator::attach(const FrameJob& /*job*/) {
  const TextureRef mask = finder_->mask();
  return mask.id != 0 ? std::optional(ShownMask{mask, {}}) : std::nullopt;
}

}  // namespace sightglass

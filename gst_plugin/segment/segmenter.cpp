#include "segment/segmenter.h"

#include <algorithm>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "gpu_engine/allocation_scope.h"
#include "sightglass/gl_objects.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

Segmenter::Segmenter(const GlTarget& target, const MaskModel& mask)
    : Effect(target.group),
      context_(target.context),
      read_kind_(FrameReader::planned_kind(target.device, target.frame)),
      defaults_(mask.defaults),
      model_width_(mask.width),
      model_height_(mask.height),
      input_(mask.frame_input) {}

Result<std::unique_ptr<Effect>> Segmenter::create(const GlTarget& target, std::shared_ptr<const Plan> plan,
                                                  const MaskModel& mask, const SegmentSettings& settings) {
  std::unique_ptr<Segmenter> result(new Segmenter(target, mask));
  const GlStateGuard guard(result->gl_, target.frame);
  const bool on_gpu = plan->fallback().operators.empty();
  const bool skips = settings.skip_static && on_gpu;
  const bool follows = settings.follows_people(mask.defaults) && on_gpu && !mask.classes && !mask.objects &&
                       !mask.previous_mask && !mask.recurrent;
  GST_DEBUG_OBJECT(log_object(), "model input of %dx%d; runs on still images are %s", result->model_width_,
                   result->model_height_,
                   skips                  ? "skipped by the GPU"
                   : settings.skip_static ? "not skipped: part of the model runs on the CPU"
                                          : "not skipped: skip-static=false");
  SIGHTGLASS_ASSIGN_OR_RETURN(result->session_,
                              Session::create(target.group, std::move(plan), {.gated = skips || follows}));
  SIGHTGLASS_RETURN_IF_ERROR(write_ratio(*result->session_, mask));
  SIGHTGLASS_RETURN_IF_ERROR(result->create_parts(mask, settings.refine_for(mask.defaults), skips, follows));
  // If masks are requested in mid-stream, a frame waits for the compiler; so it does if people are to be found.
  result->look_.main_person = settings.look.main_person;
  result->films_ = settings.framing.follow != Follow::kNone;
  SIGHTGLASS_RETURN_IF_ERROR(result->prepare_people());
  if (settings.attach_mask || settings.needs_masks) result->traits_.mask = result->mask_;
  return std::unique_ptr<Effect>(std::move(result));
}

Status Segmenter::create_parts(const MaskModel& mask, Refine refine, bool skips, bool follows) {
  refine_ = refine;
  if (mask.objects) {
    SIGHTGLASS_ASSIGN_OR_RETURN(ObjectReader objects, ObjectReader::create(group_, mask, *session_));
    objects_.emplace(std::move(objects));
    model_mask_ = objects_->texture();
  } else if (mask.classes) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, session_->output_buffer(mask.output));
    SIGHTGLASS_ASSIGN_OR_RETURN(ClassReader classes, ClassReader::create(group_, *mask.classes, scores));
    classes_.emplace(std::move(classes));
    SIGHTGLASS_ASSIGN_OR_RETURN(painter_, OverlayPainter::create(group_));
    model_mask_ = classes_->texture();
  } else {
    SIGHTGLASS_ASSIGN_OR_RETURN(model_mask_, session_->output_texture(mask.output));
  }
  mask_ = model_mask_;
  if (follows) {
    SIGHTGLASS_ASSIGN_OR_RETURN(PersonRegion region,
                                PersonRegion::create(group_, model_mask_, model_width_, model_height_));
    region_.emplace(std::move(region));
    mask_ = region_->mask();
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskCleaner cleaner, MaskCleaner::create(group_, mask_));
  cleaner_.emplace(std::move(cleaner));
  const int32_t mask_width = mask_.width, mask_height = mask_.height;
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePair frames, FramePair::create(group_, read_kind_, mask_width, mask_height));
  frames_.emplace(std::move(frames));
  SIGHTGLASS_ASSIGN_OR_RETURN(MotionField motion, MotionField::create(group_, mask_width, mask_height));
  motion_.emplace(std::move(motion));
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskSmoother smoother, MaskSmoother::create(group_, mask_width, mask_height));
  smoother_.emplace(std::move(smoother));
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create(group_, read_kind_, refine));
  compositor_.emplace(std::move(compositor));
  if (classes_) compositor_->set_classes(model_mask_);
  if (mask.previous_mask) {
    SIGHTGLASS_ASSIGN_OR_RETURN(FeedbackInput feedback,
                                FeedbackInput::create(group_, read_kind_, model_width_, model_height_));
    feedback_.emplace(std::move(feedback));
  }
  if (skips) {
    SIGHTGLASS_ASSIGN_OR_RETURN(still_, StillWatcher::create(group_, read_kind_, model_width_, model_height_));
  }
  return {};
}

// The first time, drivers finish what they leave to the first draw.
Status Segmenter::resize(const FrameSize& size, const ElementSettings& settings) {
  size_ = size;
  unframed_ = {};
  backdrop_.resize(size);
  if (classes_) classes_->resize(size.height);
  if (std::exchange(warm_, true)) return compositor_->resize(size.width, size.height, size.pixel_aspect);
  const TextureRef smooth = smoother_->warm_up(cleaner_->run({.islands = true, .holes = true}), frames_->last());
  const SegmentLook look = static_cast<const SegmentSettings&>(settings).look_for(defaults_);
  return compositor_->warm_up(look.smoothing > 0 ? smooth : mask_, size.width, size.height, size.pixel_aspect, look);
}

void Segmenter::forget() {
  has_old_state_ |= has_previous_;
  has_previous_ = watched_ = false;
  if (region_) region_->forget();
  if (people_) people_->reset();
  if (camera_) camera_->reset();
  smoother_->reset();
  frames_->reset();
  compositor_->forget();
}

Status Segmenter::prepare(FrameJob& job) {
  const auto& settings = static_cast<const SegmentSettings&>(*job.settings);
  look_ = settings.look_for(defaults_);
  fit_ = settings.fit;
  framing_ = settings.framing;
  see_time(job.time);
  SIGHTGLASS_RETURN_IF_ERROR(prepare_people());
  if (region_) region_->plan(settings.run.mask_sync == MaskSync::kLatest);
  return backdrop_.prepare(job, *compositor_, context_);
}

void Segmenter::see_time(GstClockTime time) {
  const float seconds = clock_.seconds_to(time);
  if (seconds < 0) {
    if (people_) people_->reset();
    if (camera_) camera_->reset();
  }
  seconds_ = std::max(seconds, 0.0F);
  since_mask_ += seconds_;
  // The camera goes back to the whole frame before it is put away.
  rests_ = framing_.follow != Follow::kNone ? 0 : std::min(rests_ + seconds_, kRest);
  const bool filmed = std::exchange(films_, rests_ < kRest);
  if (camera_ && !filmed) camera_->reset();
}

Status Segmenter::prepare_people() {
  const bool allocates = films_ && size_.width > 0 && !unframed_;
  if ((!finds_people() || people_) && (!films_ || camera_) && !allocates) return {};
  const AllocationScope allocations(gl_);
  if (!people_) {
    SIGHTGLASS_ASSIGN_OR_RETURN(PeopleFinder people, PeopleFinder::create(group_, mask_.width, mask_.height));
    people_.emplace(std::move(people));
  }
  if (films_ && !camera_) {
    SIGHTGLASS_ASSIGN_OR_RETURN(Camera camera, Camera::create(group_, FrameKind::kRgba));
    camera_.emplace(std::move(camera));
  }
  if (allocates) unframed_ = make_texture(gl_, GL_RGBA8, size_.width, size_.height);
  return allocations.check("allocating what follows people");
}

Status Segmenter::feed(const FrameRef& frame, const InputTransform& mask_to_stored) {
  if (std::exchange(has_old_state_, false)) SIGHTGLASS_RETURN_IF_ERROR(session_->reset_state());
  if (!feedback_) return session_->set_input_frame(input_, frame, mask_to_stored);
  feedback_->run(frame, mask_to_stored, has_previous_ ? &model_mask_ : nullptr);
  return session_->set_input_frame(input_, feedback_->frame());
}

// Until the run is complete, the mask is not that of the picture that is watched.
BufferRange Segmenter::watch(const FrameRef& frame, const InputTransform& mask_to_stored) {
  const bool force = !std::exchange(watched_, false) || watched_place_.m != mask_to_stored.m;
  watched_place_ = mask_to_stored;
  return still_->watch(frame, mask_to_stored, look_.static_threshold, force);
}

Result<ModelStage> Segmenter::begin_stage(size_t stage, const UprightFrame& frame) {
  next_mask_to_upright_ = mask_to_upright(frame, fit_);
  const InputTransform mask_to_stored = next_mask_to_upright_.then(frame.upright_to_stored);
  if (stage == 0) {
    if (look_.smoothing > 0 || refine_ == Refine::kGuided || region_ || finds_people() || look_.grades()) {
      frames_->see(frame.stored, mask_to_stored);
    }
    wanted_ = still_ ? watch(frame.stored, mask_to_stored) : BufferRange{};
  }
  GST_LOG_OBJECT(log_object(), "model: runs%s", still_ ? ", unless the GPU finds the image still" : "");
  if (!region_) {
    SIGHTGLASS_RETURN_IF_ERROR(feed(frame.stored, mask_to_stored));
    return ModelStage{session_.get(), wanted_};
  }
  SIGHTGLASS_RETURN_IF_ERROR(session_->set_input_frame(input_, frame.stored, region_->place()));
  return ModelStage{session_.get(), region_->begin(stage, frame.stored, mask_to_stored, frames_->noise(), wanted_)};
}

Status Segmenter::end_stage(size_t stage) {
  if (region_) {
    region_->end(stage, next_mask_to_upright_.m[0] * static_cast<float>(size_.shown_width()),
                 next_mask_to_upright_.m[4] * static_cast<float>(size_.height));
    if (stage + 1 < stages()) return {};
  }
  GST_LOG_OBJECT(log_object(), "mask: of inference %" G_GUINT64_FORMAT "%s", inferences() + 1,
                 look_.smoothing > 0 ? ", smoothed with earlier ones" : "");
  mask_to_upright_ = next_mask_to_upright_;
  has_previous_ = watched_ = true;
  if (objects_) SIGHTGLASS_RETURN_IF_ERROR(objects_->run());
  if (classes_) classes_->run();
  mask_ = postprocess_mask(region_ ? region_->paste() : model_mask_);
  return {};
}

TextureRef Segmenter::postprocess_mask(TextureRef mask) {
  const MaskCleaner::Parts cleaned{.islands = !look_.islands, .holes = look_.fill_holes};
  if (cleaned != MaskCleaner::Parts{}) {
    GST_TRACE_OBJECT(log_object(), "pass: cleaning the mask:%s%s", cleaned.islands ? " islands" : "",
                     cleaned.holes ? " holes" : "");
    mask = cleaner_->run(cleaned);
  }
  // Also while it is not wanted, since it then forgets the frame.
  const std::optional<SeenFrame> seen = frames_->follow();
  if (finds_people()) {
    GST_TRACE_OBJECT(log_object(), "pass: finding people in the mask");
    constexpr float kForgets = 2;  // seconds
    if (since_mask_ > kForgets) people_->reset();
    people_->find(mask, shown_part(mask_to_upright_), since_mask_, seen ? seen->noise : BufferRange{});
    if (look_.main_person) mask = people_->main_person(mask);
    since_mask_ = 0;
    is_new_mask_ = true;
  }
  const bool smooths = look_.smoothing > 0 && seen;
  compositor_->set_noise(seen ? seen->noise : BufferRange{}, smooths);
  if (smooths) {
    std::optional<TextureRef> motion;
    if (look_.motion && seen->has_previous) motion = motion_->match(*seen);
    GST_TRACE_OBJECT(log_object(), "pass: smoothing the mask%s", motion ? " along the motion of blocks" : "");
    return smoother_->run(mask, look_.smoothing, *seen, motion);
  }
  smoother_->reset();
  return mask;
}

Status Segmenter::draw(const UprightFrame& frame, GLuint output, Shown shown) {
  if (shown != Shown::kResult) {
    SegmentLook look = look_;
    look.coverage = shown == Shown::kFrame ? Coverage::kAllForeground : Coverage::kAllBackground;
    return compositor_->draw(frame.stored, frame.upright_to_stored, mask_, mask_to_upright(frame, Fit::kStretch),
                             output, look);
  }
  GST_LOG_OBJECT(log_object(), "composite: frame, mask of inference %" G_GUINT64_FORMAT " and background",
                 inferences());
  SIGHTGLASS_RETURN_IF_ERROR(compositor_->draw(frame.stored, frame.upright_to_stored, mask_, mask_to_upright_,
                                               films_ ? unframed_.id() : output, look_));
  if (films_) SIGHTGLASS_RETURN_IF_ERROR(film(output));
  return draw_legend(output);
}

Status Segmenter::film(GLuint output) {
  GST_TRACE_OBJECT(log_object(), "pass: the view of the camera");
  const TextureRef picture{unframed_.id(), GL_TEXTURE_2D, size_.width, size_.height};
  const float aspect = size_.pixel_aspect * static_cast<float>(size_.width) / static_cast<float>(size_.height);
  const BufferRange noise = std::exchange(is_new_mask_, false) ? frames_->noise() : BufferRange{};
  camera_->move(framing_, {Sight::kMask, people_->people(), mask_to_upright_, {}}, aspect, aspect, seconds_, picture,
                {}, noise);
  return camera_->draw(picture, {output, GL_TEXTURE_2D, size_.width, size_.height});
}

Result<std::optional<ShownMask>> Segmenter::attach(const FrameJob& job) {
  if (still_) {
    if (job.counts_skipped) still_->ask_for_skipped();
    skipped_ = still_->skipped();
  }
  const auto& settings = static_cast<const SegmentSettings&>(*job.settings);
  if (!settings.attach_mask && !settings.needs_masks) return std::optional<ShownMask>();
  if (!films_) return std::optional(ShownMask{mask_, mask_to_upright_, settings.look.threshold});
  const GlStateGuard guard(gl_);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TextureRef mask, camera_->view_of(mask_, mask_to_upright_));
  return std::optional(ShownMask{mask, {}, settings.look.threshold});
}

Status Segmenter::draw_legend(GLuint output) {
  if (!classes_ || look_.background != Background::kOverlay || !look_.legend) return {};
  const PrimitiveRange legend = classes_->legend();
  return painter_->draw({output, GL_TEXTURE_2D, size_.width, size_.height}, {&legend, 1}, size_.shown_width());
}

}  // namespace sightglass

#include "segment_runtime.h"

#include <utility>
#include <vector>

#include "background_frame.h"
#include "mask_attachment.h"
#include "meta_mask_processor.h"
#include "scene_picture.h"
#include "segment/segmenter.h"

namespace sightglass {

namespace {

class SegmentProcessor : public FrameProcessor {
 public:
  static Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target, SharedModel& model,
                                                        const MaskModel& mask, const SegmentSettings& settings,
                                                        const SegmentRuntime::Scene& scene);

  Status resize(int32_t width, int32_t height) override;
  void forget() override { segmenter_->forget_mask(); }
  Status process(FrameJob& job) override;
  Status annotate(FrameJob& job) override;
  Status finish(FrameJob& job) override;
  uint64_t inferences() const override { return segmenter_->inferences(); }
  uint64_t skipped(bool wanted) override;
  std::optional<GpuTime> poll_time() override;

 private:
  SegmentProcessor(const GlTarget& target, const SegmentRuntime::Scene& scene)
      : context_(target.context), scene_(scene) {}
  Status draw(FrameJob& job, bool begin);

  GstGLContext* const context_;         // whose thread all of this is on
  const SegmentRuntime::Scene& scene_;  // the runtime's, which lives longer
  std::unique_ptr<Segmenter> segmenter_;
  std::unique_ptr<MaskAttachment> masks_;  // where they are asked for
  ScenePicture picture_;
  bool measures_model_ = false;
  int32_t width_ = 0, height_ = 0;  // of upright frames
  uint32_t since_inference_ = 0;    // frames, with the one that it was begun with
  bool ahead_ = false;              // of the frame under way: it is drawn with a mask from before
};

Result<std::unique_ptr<FrameProcessor>> SegmentProcessor::create(const GlTarget& target, SharedModel& model,
                                                                 const MaskModel& mask, const SegmentSettings& settings,
                                                                 const SegmentRuntime::Scene& scene) {
  std::unique_ptr<SegmentProcessor> result(new SegmentProcessor(target, scene));
  PlanOptions options = mask.plan_options;
  options.inputs[0].frame = Segmenter::planned_kind(target.device, mask, target.frame);
  SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, target.plan(model, std::move(options)));
  SG_ASSIGN_OR_RETURN(result->segmenter_, Segmenter::create(target.group, target.device, std::move(plan), mask,
                                                            target.frame, {settings.refine, settings.skip_static}));
  if (settings.attach_mask) {
    const TextureRef& texture = result->segmenter_->mask();
    SG_ASSIGN_OR_RETURN(result->masks_,
                        MaskAttachment::create(target.context, target.group, texture.width, texture.height));
  }
  result->measures_model_ = settings.mask_sync == MaskSync::kLatest;
  return std::unique_ptr<FrameProcessor>(std::move(result));
}

Status SegmentProcessor::resize(int32_t width, int32_t height) {
  width_ = width;
  height_ = height;
  picture_.forget();
  SG_RETURN_IF_ERROR(segmenter_->resize(width, height));
  return std::exchange(measures_model_, false) ? segmenter_->measure_model() : Status();
}

Status SegmentProcessor::draw(FrameJob& job, bool begin) {
  const SegmentSettings& settings = scene_.settings;
  const auto& [to_stored, output] = std::tie(job.upright_to_stored, job.output);
  const Status status = ahead_
                            ? segmenter_->draw_ahead(job.frame, to_stored, output, settings.fit, settings.look, begin)
                            : segmenter_->render(job.frame, to_stored, output, settings.fit, settings.look);
  if (status.ok() || settings.on_failure == OnFailure::kError) return status;
  job.failure = status;
  return segmenter_->conceal(job.frame, to_stored, output, settings.look, settings.on_failure);
}

Status SegmentProcessor::process(FrameJob& job) {
  const SegmentSettings& settings = scene_.settings;
  const bool latest = settings.mask_sync == MaskSync::kLatest;
  const bool due = !segmenter_->has_mask() || since_inference_ >= settings.inference_interval;
  ahead_ = segmenter_->has_mask() && (latest || !due);
  // What is due while a run is under way begins behind it.
  const bool begins = due && (!ahead_ || !segmenter_->is_running());
  since_inference_ = begins ? 1 : since_inference_ + 1;
  SG_RETURN_IF_ERROR(picture_.update(scene_, width_, height_, [this](const auto& pixels, const PicturePlace& place) {
    return segmenter_->set_picture(pixels, place);
  }));
  const BackgroundFrame behind(job.input, context_);
  SG_RETURN_IF_ERROR(behind.status());
  segmenter_->set_video(behind.texture(), settings.background_fit);
  return draw(job, due);
}

Status SegmentProcessor::annotate(FrameJob& job) {
  if (!job.failure.ok() || masks_ == nullptr) return {};
  return masks_->attach(job.output_buffer, width_, height_, segmenter_->mask(), segmenter_->mask_place(),
                        scene_.settings.look.threshold);
}

Status SegmentProcessor::finish(FrameJob& job) {
  const SegmentSettings& settings = scene_.settings;
  if (!ahead_ || !job.failure.ok()) return {};
  const Status status = segmenter_->advance(settings.gpu_budget_ns);
  if (status.ok() || settings.on_failure == OnFailure::kError) return status;
  job.failure = status;
  return {};
}

uint64_t SegmentProcessor::skipped(bool wanted) {
  if (wanted) segmenter_->ask_for_skipped();
  return segmenter_->skipped();
}

std::optional<GpuTime> SegmentProcessor::poll_time() {
  const std::optional<GpuTimer::Sample> sample = segmenter_->poll_time();
  if (!sample) return {};
  const uint64_t frame_ns = sample->model_ns + sample->other_ns;
  const bool latest = scene_.settings.mask_sync == MaskSync::kLatest;
  return GpuTime{segmenter_->model_ns(), frame_ns, latest ? sample->other_ns : frame_ns};
}

}  // namespace

bool SegmentRuntime::set_own_property(guint id, const GValue* value) {
  return set_segment_property(settings_, id, value);
}

bool SegmentRuntime::get_own_property(guint id, GValue* value) const {
  return get_segment_property(settings_, id, value);
}

void SegmentRuntime::need_masks(bool needed) {
  const std::lock_guard lock(settings_mutex());
  masks_needed_ = needed;
}

SegmentSettings SegmentRuntime::snapshot() const {
  const std::lock_guard lock(settings_mutex());
  SegmentSettings settings = settings_;
  settings.attach_mask = settings.attach_mask || masks_needed_;
  return settings;
}

Status SegmentRuntime::load(const ModelSettings& settings) {
  scene_.settings = snapshot();
  if (scene_.settings.mask_source == MaskSource::kModel) SG_RETURN_IF_ERROR(load_model(settings));
  if (scene_.settings.mask_source == MaskSource::kMeta && scene_.settings.attach_mask) {
    return invalid_argument("attach-mask=true is for mask-source=model: the frames carry masks already");
  }
  if (scene_.settings.look.background == Background::kImage && scene_.settings.background_location.empty()) {
    return invalid_argument("background=image needs a picture: set background-location=FILE");
  }
  loaded_with_ = scene_.settings;
  return update_picture();
}

Status SegmentRuntime::load_model(const ModelSettings& settings) {
  SG_ASSIGN_OR_RETURN(const std::string file, model_file(settings, "segmentation"));
  SG_ASSIGN_OR_RETURN(MaskModelOptions options, scene_.settings.mask_model_options());
  options.normalisation = settings.normalisation();
  SG_ASSIGN_OR_RETURN(model_, SharedModel::load(file, settings.model_options()));
  SG_ASSIGN_OR_RETURN(mask_, describe_mask_model(*model_->model(), model_->known(), options));
  settings.apply_to(mask_.plan_options);
  // The real device is not known yet, but what the least of them can do, every one can.
  SG_ASSIGN_OR_RETURN(plan_, model_->plan(DeviceLimits(), mask_.plan_options));
  return {};
}

void SegmentRuntime::unload() {
  model_.reset();
  plan_.reset();
  scene_.picture.reset();
  picture_location_.clear();
}

std::string SegmentRuntime::warning() const {
  return plan_ && !plan_->fallback().operators.empty() ? plan_->fallback().warning() : std::string();
}

Result<std::unique_ptr<FrameProcessor>> SegmentRuntime::create(const GlTarget& target) {
  if (loaded_with_.mask_source == MaskSource::kMeta) return make_meta_mask_processor(target, loaded_with_, scene_);
  return SegmentProcessor::create(target, *model_, mask_, loaded_with_, scene_);
}

Status SegmentRuntime::before_frame() {
  scene_.settings = snapshot();
  return update_picture();
}

Status SegmentRuntime::update_picture() {
  const SegmentSettings& settings = scene_.settings;
  if (settings.look.background != Background::kImage || settings.background_location == picture_location_) return {};
  picture_location_ = settings.background_location;  // also when it fails: one warning is enough
  SG_ASSIGN_OR_RETURN(scene_.picture, Picture::load(settings.background_location));
  return {};
}

}  // namespace sightglass

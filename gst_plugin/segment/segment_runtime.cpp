#include "segment/segment_runtime.h"

#include <utility>
#include <vector>

#include "draw/typesetter.h"
#include "element/described_model.h"
#include "element/model_processor.h"
#include "segment/background_frame.h"
#include "segment/background_processor.h"
#include "segment/log.h"
#include "segment/meta_mask_processor.h"
#include "segment/scene_picture.h"
#include "segment/segmenter.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

class SegmentProcessor : public ModelProcessor {
 public:
  static Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target, const DescribedModel<MaskModel>& mask,
                                                        const SegmentSettings& settings,
                                                        const SegmentRuntime::Scene& scene, bool prepares_masks);

  Status process(FrameJob& job) override;
  uint64_t skipped(bool wanted) override;

 private:
  SegmentProcessor(const GlTarget& target, const SegmentSettings& settings, const SegmentRuntime::Scene& scene,
                   const MaskDefaults& defaults, std::unique_ptr<Segmenter> segmenter)
      : ModelProcessor(target, *segmenter, settings.run),
        context_(target.context),
        scene_(scene),
        defaults_(defaults),
        segmenter_(std::move(segmenter)),
        attaches_masks_(settings.attach_mask) {}

  RunSettings run_settings() const override { return scene_.settings.run; }
  Status resize_model(const FrameSize& size) override;
  std::optional<ShownMask> mask() const override;

  GstGLContext* const context_;         // its thread runs all calls
  const SegmentRuntime::Scene& scene_;  // of the runtime, which outlives this
  const MaskDefaults defaults_;
  const std::unique_ptr<Segmenter> segmenter_;
  const bool attaches_masks_;
  ScenePicture picture_;
};

Result<std::unique_ptr<FrameProcessor>> SegmentProcessor::create(const GlTarget& target,
                                                                 const DescribedModel<MaskModel>& mask,
                                                                 const SegmentSettings& settings,
                                                                 const SegmentRuntime::Scene& scene,
                                                                 bool prepares_masks) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                              mask.plan(target, Segmenter::planned_kind(target.device, *mask, target.frame)));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Segmenter> segmenter,
                              Segmenter::create(target.group, target.device, std::move(plan), *mask, target.frame,
                                                {settings.refine_for(mask->defaults), settings.skip_static}));
  std::unique_ptr<SegmentProcessor> result(
      new SegmentProcessor(target, settings, scene, mask->defaults, std::move(segmenter)));
  // If a mask is requested in mid-stream, the frame waits for this compilation.
  if (prepares_masks) SIGHTGLASS_RETURN_IF_ERROR(result->prepare_masks(result->segmenter_->mask()));
  return result;
}

Status SegmentProcessor::resize_model(const FrameSize& size) {
  picture_.forget();
  return segmenter_->resize(size);
}

Status SegmentProcessor::process(FrameJob& job) {
  const SegmentSettings& settings = scene_.settings;
  segmenter_->set_look(settings.look_for(defaults_), settings.fit);
  SIGHTGLASS_RETURN_IF_ERROR(picture_.update(
      scene_, {job.frame.width, job.frame.height, job.frame.pixel_aspect},
      [this](const auto& pixels, const PicturePlace& place) { return segmenter_->set_picture(pixels, place); }));
  const BackgroundFrame behind(job.input, context_);
  SIGHTGLASS_RETURN_IF_ERROR(behind.status());
  segmenter_->set_video(behind.texture(), behind.pixel_aspect(), settings.background_fit);
  return ModelProcessor::process(job);
}

std::optional<ModelProcessor::ShownMask> SegmentProcessor::mask() const {
  if (!attaches_masks_ && !scene_.needs_masks) return {};
  return ShownMask{segmenter_->mask(), segmenter_->mask_place(), scene_.settings.look.threshold};
}

uint64_t SegmentProcessor::skipped(bool wanted) {
  if (wanted) segmenter_->ask_for_skipped();
  return segmenter_->skipped();
}

// Source of the masks.
class LoadedMasks : public LoadedModel {
 public:
  // Size of the next masks, if known.
  virtual std::optional<MaskSize> mask_size() const { return {}; }
};

class SegmentModel : public LoadedMasks {
 public:
  // With `prepares_masks`, also compiles the shader programs for attached masks. `scene` outlives the model.
  SegmentModel(const SegmentSettings& settings, const SegmentRuntime::Scene& scene, bool prepares_masks)
      : settings_(settings), scene_(scene), prepares_masks_(prepares_masks) {}

  Status load(const std::string& file, const ModelSettings& settings);
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const override {
    return SegmentProcessor::create(target, mask_, settings_, scene_, prepares_masks_);
  }
  Result<std::unique_ptr<FrameProcessor>> create_interim(const GlTarget& target) const override {
    if (settings_.start == Start::kWait) return std::unique_ptr<FrameProcessor>();
    return make_background_processor(target, scene_);
  }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    mask_.add_warnings(warnings);
    const bool names_classes = mask_->classes && settings_.look.background == Background::kOverlay;
    if (!names_classes || !settings_.look.legend) return warnings;
    if (auto missing = missing_font_warning("legend=true")) warnings.push_back(std::move(*missing));
    return warnings;
  }
  std::optional<MaskSize> mask_size() const override { return size_; }

 private:
  const SegmentSettings settings_;
  const SegmentRuntime::Scene& scene_;
  const bool prepares_masks_;
  DescribedModel<MaskModel> mask_;
  MaskSize size_;
};

Status SegmentModel::load(const std::string& file, const ModelSettings& settings) {
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskModelOptions options, settings_.mask_model_options());
  options.normalization = settings.normalization();
  const auto describe = [&](const SharedModel& model) -> Result<MaskModel> {
    SIGHTGLASS_ASSIGN_OR_RETURN(MaskModel mask, describe_mask_model(*model.model(), model.known(), options));
    GST_DEBUG_OBJECT(log_object(), "%s: %s model, input of %dx%d, output %d is %s%s", file.c_str(),
                     model.known() ? "a known" : "an unknown", mask.width, mask.height, static_cast<int>(mask.output),
                     mask.classes ? "scores of several classes" : "the mask",
                     mask.previous_mask ? ", and the previous mask goes in" : "");
    const Shape& shape = model.model()->outputs()[mask.output].shape;
    size_ = {shape.dim(2), shape.dim(1)};
    return mask;
  };
  SIGHTGLASS_ASSIGN_OR_RETURN(mask_, DescribedModel<MaskModel>::load(file, settings, describe));
  return {};
}

// Without a model: masks are attached to the frames.
class MetaMasks : public LoadedMasks {
 public:
  MetaMasks(const SegmentSettings& settings, const SegmentRuntime::Scene& scene) : settings_(settings), scene_(scene) {}

  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const override {
    return make_meta_mask_processor(target, settings_, scene_);
  }
  std::vector<std::string> warnings() const override { return {}; }

 private:
  const SegmentSettings settings_;
  const SegmentRuntime::Scene& scene_;  // outlives it
};

}  // namespace

Status SegmentRuntime::set_own_property(guint id, const GValue* value) {
  return segment_properties().set(settings_, id, value);
}

bool SegmentRuntime::get_own_property(guint id, GValue* value) const {
  if (!lacks_picture()) return segment_properties().get(settings_, id, value);
  SegmentSettings shown = settings_;
  shown.look.background = shown_background_;
  return segment_properties().get(shown, id, value);
}

bool SegmentRuntime::lacks_picture() const {
  if (!is_started() || settings_.look.background != Background::kImage) return false;
  const std::string location = settings_.background_location.value_or("");
  return location.empty() || location == missing_picture_;
}

void SegmentRuntime::need_masks(bool needed) {
  const std::lock_guard lock(settings_mutex());
  masks_needed_ = needed;
}

bool SegmentRuntime::makes_masks() const {
  const std::lock_guard lock(settings_mutex());
  return settings_.mask_source == MaskSource::kModel;
}

std::optional<MaskSize> SegmentRuntime::mask_size() const {
  const std::lock_guard lock(settings_mutex());
  return mask_size_;
}

void SegmentRuntime::update_settings() {
  const std::lock_guard lock(settings_mutex());
  scene_.settings = settings_;
  scene_.needs_masks = masks_needed_;
}

Status SegmentRuntime::begin() {
  update_settings();
  if (scene_.settings.mask_source == MaskSource::kMeta && (scene_.settings.attach_mask || scene_.needs_masks)) {
    return invalid_argument(
        "attach-mask=true and the pad \"mask\" are for mask-source=model: the frames carry masks already");
  }
  if (scene_.settings.look.background == Background::kImage &&
      scene_.settings.background_location.value_or("").empty()) {
    return invalid_argument("background=image needs a picture: set background-location=FILE");
  }
  loaded_with_ = scene_.settings;
  {
    const std::lock_guard lock(settings_mutex());
    missing_picture_.reset();
    shown_background_ = scene_.settings.look.background;
  }
  if (scene_.settings.look.background != Background::kImage) return {};
  return Picture::check(scene_.settings.background_location.value_or(""));
}

Result<std::shared_ptr<const LoadedModel>> SegmentRuntime::load(const ModelSettings& settings) const {
  if (loaded_with_.mask_source == MaskSource::kMeta) {
    return std::shared_ptr<const LoadedModel>(std::make_shared<MetaMasks>(loaded_with_, scene_));
  }
  bool prepares_masks = loaded_with_.attach_mask;
  {
    const std::lock_guard lock(settings_mutex());
    prepares_masks = prepares_masks || masks_needed_;
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, model_file(settings, "segmentation"));
  const auto model = std::make_shared<SegmentModel>(loaded_with_, scene_, prepares_masks);
  SIGHTGLASS_RETURN_IF_ERROR(model->load(file, settings));
  return std::shared_ptr<const LoadedModel>(model);
}

void SegmentRuntime::end() {
  scene_.picture.reset();
  picture_location_.reset();
}

void SegmentRuntime::adopt(const std::shared_ptr<const LoadedModel>& model) {
  const auto* masks = static_cast<const LoadedMasks*>(model.get());
  const std::lock_guard lock(settings_mutex());
  mask_size_ = masks != nullptr ? masks->mask_size() : std::nullopt;
}

Status SegmentRuntime::on_device(const DeviceInfo& device) {
  // The maximum texture size limits the image.
  largest_picture_ = device.limits.max_texture_size;
  Status status = update_picture();
  if (!status.ok()) picture_location_ = {};  // for the next start
  return status;
}

Status SegmentRuntime::before_frame() {
  update_settings();
  const Status status = update_picture();
  // A previous image is no longer wanted unless it is visible.
  if (!status.ok() && shown_background_ != Background::kImage) scene_.picture.reset();
  Background& background = scene_.settings.look.background;
  const std::lock_guard lock(settings_mutex());
  missing_picture_.reset();
  if (scene_.picture == nullptr) {
    if (background == Background::kImage) {
      missing_picture_ = scene_.settings.background_location.value_or("");
      background = shown_background_;
    } else {
      picture_location_.reset();  // so that the next attempt warns again
    }
  }
  shown_background_ = background;
  return status;
}

Status SegmentRuntime::update_picture() {
  const SegmentSettings& settings = scene_.settings;
  const std::string location = settings.background_location.value_or("");
  if (settings.look.background != Background::kImage || location == picture_location_) return {};
  picture_location_ = location;  // also when it fails: one warning is enough
  if (location.empty()) {
    return invalid_argument(
        "background=image: cannot show an image: background-location is not set, and what was shown stays; set "
        "background-location to a PNG or JPEG file");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(scene_.picture, Picture::load(location, largest_picture_));
  GST_DEBUG_OBJECT(log_object(), "background image %s loaded", location.c_str());
  return {};
}

}  // namespace sightglass

#include "segment/segment_runtime.h"

#include <gst/gst.h>

#include <utility>
#include <vector>

#include "draw/text_atlas.h"
#include "element/frame_processor.h"
#include "element/model_processor.h"
#include "element/run_settings.h"
#include "gobject/log.h"
#include "segment/compositing_processor.h"
#include "segment/segmenter.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

using S = SegmentSettings;

constexpr float kMostSmoothing = 0.95F;  // a mask that never settles is of no use
constexpr int kMostOutputs = 1023;
constexpr MaskDefaults kUnknown;

template <typename T>
auto look(T SegmentLook::*member) {
  return within(&S::look, member);
}

}  // namespace

Result<MaskModelOptions> SegmentSettings::mask_model_options() const {
  MaskModelOptions options;
  SIGHTGLASS_ASSIGN_OR_RETURN(options.classes, parse_classes(classes.value_or("")));
  options.output = output;
  options.activation = activation;
  return options;
}

SegmentLook SegmentSettings::look_for(const MaskDefaults& defaults) const {
  SegmentLook result = look;
  result.islands = islands.value_or(defaults.islands);
  result.smoothing = smoothing.value_or(defaults.smoothing);
  result.softness = softness.value_or(defaults.softness);
  return result;
}

Refine SegmentSettings::refine_for(const MaskDefaults& defaults) const {
  return refine.value_or(defaults.guided ? Refine::kGuided : Refine::kNone);
}

const PropertyTable<SegmentSettings>& segment_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::text("classes", "Classes", &S::classes, kAtStart,
                    "Foreground classes, such as \"15\" or \"1,2\" (NULL or empty = people or hair of known models, "
                    "otherwise all but 0)"),
          row::number("output", "Output", &S::output, -1, kMostOutputs, kAtStart,
                      "Index of the model output with the mask (-1 = the first image output)"),
          row::choice("activation", "Activation", &S::activation, "GstGLSegmentActivation",
                      {{std::nullopt, "Sigmoid or softmax, unless the model applies it", "auto"},
                       {OutputActivation::kNone, "None; outputs are probabilities", "none"},
                       {OutputActivation::kSigmoid, "Sigmoid per channel", "sigmoid"},
                       {OutputActivation::kSoftmax, "Softmax over channels", "softmax"}},
                      kAtStart, "Activation to apply to the model output"),
          row::flag("attach-mask", "Attach mask", &S::attach_mask, kAtStart,
                    "Whether to attach the mask to each buffer as SightglassMaskMeta (also "
                    "GstAnalyticsSegmentationMtd with GStreamer 1.26)"),
          row::choice("refine", "Refine", &S::refine, "GstGLSegmentRefine",
                      {{std::nullopt, "As suits the known model, otherwise none", "auto"},
                       {Refine::kNone, "Smooth upsampling", "none"},
                       {Refine::kBilateral, "Joint bilateral upsampling", "bilateral"},
                       {Refine::kGuided, "Guided filter", "guided"}},
                      kAtStart, "How to upsample the mask so that it follows edges in the frame"),
          row::choice("background", "Background", look(&SegmentLook::background), "GstGLSegmentBackground",
                      {{Background::kBlur, "Blurred frame", "blur"},
                       {Background::kColor, "Color from background-color", "color"},
                       {Background::kImage, "Image from background-location", "image"},
                       {Background::kTransparent, "None; the mask becomes the alpha channel", "transparent"},
                       {Background::kMask, "Mask in white on black instead of the frame", "mask"},
                       {Background::kOverlay, "Frame with one color per class", "overlay"}},
                      kLive, "Background to show behind the foreground"),
          row::number("blur-strength", "Blur strength", look(&SegmentLook::blur_strength), 0, kMaxBlurStrength, kLive,
                      "Blur radius in percent of the frame height, unless blur-radius is set (0 = disabled)"),
          row::number("blur-radius", "Blur radius", look(&SegmentLook::blur_radius), -1, kMaxBlurRadius, kLive,
                      "Blur radius in frame pixels, two standard deviations (0 = disabled, negative = by "
                      "blur-strength)"),
          row::choice("bokeh", "Bokeh", look(&SegmentLook::bokeh), "GstGLSegmentBokeh",
                      {{Bokeh::kGaussian, "Smooth blur", "gaussian"},
                       {Bokeh::kDisc, "Disc of a lens; highlights become visible discs", "disc"}},
                      kLive, "Shape of points in the blurred background"),
          row::color("background-color", "Background color", look(&SegmentLook::color), kLive,
                     "Color behind the foreground, ARGB (big-endian, not premultiplied)"),
          row::text("background-location", "Background location", &S::background_location, kLive,
                    "Path of the PNG or JPEG background image"),
          row::choice("background-fit", "Background fit", &S::background_fit, "GstGLSegmentBackgroundFit",
                      {{PictureFit::kCover, "Fill the frame and crop", "cover"},
                       {PictureFit::kContain, "Show everything, with bars of background-color", "contain"}},
                      kLive, "How to fit a background image or video into frames of another aspect ratio"),
          row::choice("alpha", "Alpha", look(&SegmentLook::premultiply), "GstGLSegmentAlpha",
                      {{false, "Straight colors", "straight"}, {true, "Colors multiplied by alpha", "premultiplied"}},
                      kLive, "Alpha representation of colors that are not opaque"),
          row::choice("despill", "Despill", look(&SegmentLook::despill), "GstGLSegmentDespill",
                      {{false, "Frame colors", "off"}, {true, "Estimated foreground colors", "on"}}, kLive,
                      "Colors of foreground edges when the background is replaced; on removes the old background"),
          row::number("light-wrap", "Light wrap", look(&SegmentLook::light_wrap), 0, 1, kLive,
                      "Amount of background light on foreground edges (0 = disabled)"),
          row::number("feather", "Feather", look(&SegmentLook::feather), -kMaxFeather, kMaxFeather, kLive,
                      "Feather width on each side of the foreground edge in frame pixels; negative: on its inner side "
                      "only (0 = disabled, smallest 3 or -6)"),
          row::number("edge-offset", "Edge offset", look(&SegmentLook::edge_offset), -kMaxEdgeOffset, kMaxEdgeOffset,
                      kLive,
                      "Distance in frame pixels by which the foreground edge moves outwards; negative: inwards (0 = "
                      "disabled)"),
          row::number("overlay-opacity", "Overlay opacity", look(&SegmentLook::overlay_opacity), 0, 1, kLive,
                      "Opacity of class colors over the frame with background=overlay"),
          row::flag("legend", "Legend", look(&SegmentLook::legend), kLive,
                    "Whether to list the names of visible classes with background=overlay"),
          row::number("threshold", "Threshold", look(&SegmentLook::threshold), 0, 1, kLive,
                      "Foreground probability at which foreground and background have equal weight"),
          row::optional_number("softness", "Softness", &S::softness, kUnknown.softness, 0, 1, kLive,
                               "Width of the transition from background to foreground as a difference of "
                               "probabilities (0 = hard edge, unset = from the model)"),
          row::optional_number("smoothing", "Smoothing", &S::smoothing, kUnknown.smoothing, 0, kMostSmoothing, kLive,
                               "Weight of the previous mask where both masks nearly agree, to reduce flicker (0 = "
                               "disabled, unset = from the model)"),
          row::choice("motion", "Motion", look(&SegmentLook::motion), "GstGLSegmentMotion",
                      {{false, "None; moving edges are not smoothed", "off"},
                       {true, "Motion of 8x8 blocks of mask pixels", "blocks"}},
                      kLive, "Motion that smoothing follows from the previous mask to the new one"),
          row::choice("islands", "Islands", &S::islands, "GstGLSegmentIslands",
                      {{std::nullopt, "As suits the known model, otherwise keep", "auto"},
                       {false, "Background", "remove"},
                       {true, "As in the mask of the model", "keep"}},
                      kLive, "How to show uncertain foreground far from all regions of which the model is sure"),
          row::choice("fit", "Fit", &S::fit, "GstGLSegmentFit",
                      {{Fit::kStretch, "Scale each axis separately", "stretch"},
                       {Fit::kLetterbox, "Show the whole frame with bars", "letterbox"}},
                      kLive, "How to fit a frame of another aspect ratio into the model input"),
          row::choice(
              "mask-source", "Mask source", &S::mask_source, "GstGLSegmentMaskSource",
              {{MaskSource::kModel, "Model", "model"},
               {MaskSource::kMeta, "SightglassMaskMeta from upstream, such as glpose attach-mask=true", "meta"}},
              kAtStart, "Source of the masks"),
          row::choice("start", "Start", &S::start, "GstGLSegmentStart",
                      {{Start::kWait, "Nothing; the first frame waits", "wait"},
                       {Start::kBlurred, "Only background, as with on-failure=background", "blurred"}},
                      kAtStart, "What to show while the model is being compiled"),
          row::flag("skip-static", "Skip static", &S::skip_static, kAtStart,
                    "Whether to skip the model on the GPU while the image does not change (not with operators on the "
                    "CPU)"),
          row::number("static-threshold", "Static threshold", look(&SegmentLook::static_threshold), 0, 1, kLive,
                      "Maximum change of a mean color in [0,1] over 4x4 model pixels that skip-static ignores"),
          row::choice("on-failure", "On failure", within(&S::run, &RunSettings::on_failure), "GstGLSegmentOnFailure",
                      {{OnFailure::kBlack, "Black frame", "black"},
                       {OnFailure::kPass, "Whole frame as foreground", "pass"},
                       {OnFailure::kError, "End the stream with an error", "error"},
                       {OnFailure::kBackground, "Only background; black if drawing fails", "background"}},
                      kLive, "What to show when the mask of a frame cannot be computed while playing"),
      },
      run_properties(&S::run));
  return *table;
}

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

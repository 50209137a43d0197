#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/text_atlas.h"
#include "element_names.h"
#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "meta/mask_attachment.h"
#include "segment/mask_model.h"
#include "segment/segmenter.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

// Effects without a model.

namespace {

// Masks of other elements may be refined and smoothed already.
constexpr MaskDefaults kAttachedMasks{.guided = false, .smoothing = 0};

class ModelFreeEffect : public Effect {
 public:
  ModelFreeEffect(const GlTarget& target, Compositor compositor)
      : Effect(target.group),
        context_(target.context),
        compositor_(std::move(compositor)),
        no_mask_(make_texture(gl_, GL_R8, 1, 1)) {}

  size_t stages() const final { return 0; }
  Result<ModelStage> begin_stage(size_t /*stage*/, const UprightFrame& /*frame*/) final { return no_model(); }
  Status end_stage(size_t /*stage*/) final { return no_model(); }
  void forget() final { compositor_.forget(); }

 protected:
  TextureRef no_mask() const { return {no_mask_.id(), GL_TEXTURE_2D, 1, 1}; }

  GstGLContext* const context_;  // its thread runs all calls
  Compositor compositor_;
  FrameBackdrop backdrop_;

 private:
  static Status no_model() { return internal_error("this effect has no model"); }

  GlTexture no_mask_;
};

// Until the model is ready: shows only the background of each frame, as on-failure=background does.
class BackgroundEffect final : public ModelFreeEffect {
 public:
  using ModelFreeEffect::ModelFreeEffect;

  Status resize(const FrameSize& size, const ElementSettings& settings) override {
    SIGHTGLASS_RETURN_IF_ERROR(compositor_.resize(size.width, size.height, size.pixel_aspect));
    backdrop_.resize(size);
    SIGHTGLASS_RETURN_IF_ERROR(backdrop_.update_picture(static_cast<const SegmentSettings&>(settings), compositor_));
    return compositor_.prepare(look_of(settings));
  }

  Status prepare(FrameJob& job) override {
    look_ = look_of(*job.settings);
    backdrop_status_ = backdrop_.prepare(job, compositor_, context_);
    GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": the model is not ready, drawing only the background",
                   job.number);
    return {};
  }

  Status draw(const UprightFrame& frame, GLuint output, Shown /*shown*/) override {
    SIGHTGLASS_RETURN_IF_ERROR(backdrop_status_);
    return compositor_.draw(frame.stored, frame.upright_to_stored, no_mask(), {}, output, look_);
  }

 private:
  // Without the parts of the look that only edges have.
  static SegmentLook look_of(const ElementSettings& settings) {
    SegmentLook look = static_cast<const SegmentSettings&>(settings).look_for(kAttachedMasks);
    look.coverage = Coverage::kAllBackground;
    look.feather = look.edge_offset = look.light_wrap = 0;
    return look;
  }

  SegmentLook look_;
  Status backdrop_status_;  // on-failure applies to it
};

// Composites frames with the masks that an upstream element attached (sightglass/gst/mask_meta.h).
class MetaMaskEffect final : public ModelFreeEffect {
 public:
  using ModelFreeEffect::ModelFreeEffect;

  Status resize(const FrameSize& size, const ElementSettings& settings) override {
    backdrop_.resize(size);
    if (std::exchange(warm_, true)) return compositor_.resize(size.width, size.height, size.pixel_aspect);
    return compositor_.warm_up(no_mask(), size.width, size.height, size.pixel_aspect,
                               static_cast<const SegmentSettings&>(settings).look);
  }

  Status prepare(FrameJob& job) override {
    look_ = static_cast<const SegmentSettings&>(*job.settings).look_for(kAttachedMasks);
    input_ = job.input;
    number_ = job.number;
    return backdrop_.prepare(job, compositor_, context_);
  }

  Status draw(const UprightFrame& frame, GLuint output, Shown shown) override {
    if (shown == Shown::kResult) return draw_with_mask(frame, output);
    const Coverage coverage = shown == Shown::kFrame ? Coverage::kAllForeground : Coverage::kAllBackground;
    return draw_covered(frame, output, no_mask(), {}, coverage);
  }

 private:
  Status draw_with_mask(const UprightFrame& frame, GLuint output) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::optional<AttachedMask> mask, attached_mask(input_, context_));
    if (!mask) {
      return invalid_argument(std::string("mask-source=meta: the frame carries no mask; an element before, such as ") +
                              elements::kPose.element + " attach-mask=true, attaches it");
    }
    GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": composited with the mask that it carries, of %dx%d",
                   number_, mask->texture.width, mask->texture.height);
    // The mask covers the incoming frame, which may be rotated or cropped.
    return draw_covered(frame, output, mask->texture, mask->to_frame.then(frame.upright_to_stored.inverse()),
                        Coverage::kByMask);
  }

  Status draw_covered(const UprightFrame& frame, GLuint output, const TextureRef& mask, const InputTransform& place,
                      Coverage coverage) {
    look_.coverage = coverage;
    return compositor_.draw(frame.stored, frame.upright_to_stored, mask, place, output, look_);
  }

  SegmentLook look_;
  GstBuffer* input_ = nullptr;  // of the current frame
  uint64_t number_ = 0;
  bool warm_ = false;  // the compositor has drawn
};

Result<std::unique_ptr<Effect>> make_background_effect(const GlTarget& target) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create_background(target.group, read));
  return std::unique_ptr<Effect>(std::make_unique<BackgroundEffect>(target, std::move(compositor)));
}

Result<std::unique_ptr<Effect>> make_meta_mask_effect(const GlTarget& target, Refine refine) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(Compositor compositor, Compositor::create(target.group, read, refine));
  return std::unique_ptr<Effect>(std::make_unique<MetaMaskEffect>(target, std::move(compositor)));
}

class SegmentModel : public LoadedMasks {
 public:
  Status load(const std::string& file, std::shared_ptr<const SegmentSettings> settings);
  Result<std::unique_ptr<Effect>> create(const GlTarget& target) const override {
    SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                                mask_.plan(target, Segmenter::planned_kind(target.device, *mask_, target.frame)));
    return Segmenter::create(target, std::move(plan), *mask_, *settings_);
  }
  Result<std::unique_ptr<Effect>> create_interim(const GlTarget& target) const override {
    if (settings_->start == Start::kWait) return std::unique_ptr<Effect>();
    return make_background_effect(target);
  }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    mask_.add_warnings(warnings);
    const bool names_classes = mask_->classes && settings_->look.background == Background::kOverlay;
    if (!names_classes || !settings_->look.legend) return warnings;
    if (auto missing = missing_font_warning("legend=true")) warnings.push_back(std::move(*missing));
    return warnings;
  }
  std::optional<MaskSize> mask_size() const override { return size_; }

 private:
  std::shared_ptr<const SegmentSettings> settings_;
  DescribedModel<MaskModel> mask_;
  MaskSize size_;
};

Status SegmentModel::load(const std::string& file, std::shared_ptr<const SegmentSettings> settings) {
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskModelOptions options, settings->mask_model_options());
  options.normalization = settings->model.normalization();
  SIGHTGLASS_ASSIGN_OR_RETURN(options.notes, read_model_notes(file));
  const auto describe = [&](const SharedModel& model) -> Result<MaskModel> {
    SIGHTGLASS_ASSIGN_OR_RETURN(MaskModel mask, describe_mask_model(*model.model(), model.known(), options));
    GST_DEBUG_OBJECT(log_object(), "%s: %s model, input of %dx%d, output %d is %s%s", file.c_str(),
                     model.known() ? "a known" : "an unknown", mask.width, mask.height, static_cast<int>(mask.output),
                     mask.classes ? "scores of several classes" : "the mask",
                     mask.previous_mask ? ", and the previous mask goes in"
                     : mask.recurrent   ? ", and outputs go in again"
                                        : "");
    const Shape& shape = model.model()->outputs()[mask.output].shape;
    size_ = {shape.dim(2), shape.dim(1)};
    return mask;
  };
  SIGHTGLASS_ASSIGN_OR_RETURN(mask_, DescribedModel<MaskModel>::load(file, settings->model, describe));
  settings_ = std::move(settings);
  return {};
}

// Without a model: masks are attached to the frames.
class MetaMasks : public LoadedMasks {
 public:
  explicit MetaMasks(Refine refine) : refine_(refine) {}
  Result<std::unique_ptr<Effect>> create(const GlTarget& target) const override {
    return make_meta_mask_effect(target, refine_);
  }
  std::vector<std::string> warnings() const override { return {}; }

 private:
  const Refine refine_;
};

}  // namespace

Result<std::shared_ptr<const LoadedModel>> load_mask_model(const std::string& file,
                                                           std::shared_ptr<const SegmentSettings> settings) {
  const auto model = std::make_shared<SegmentModel>();
  SIGHTGLASS_RETURN_IF_ERROR(model->load(file, std::move(settings)));
  return std::shared_ptr<const LoadedModel>(model);
}

std::shared_ptr<const LoadedModel> use_attached_masks(const SegmentSettings& settings) {
  return std::make_shared<MetaMasks>(settings.refine_for(kAttachedMasks));
}

}  // namespace sightglass

#include "infer/decoder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detect/tracker.h"
#include "detect/yolo_decoder.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "infer/shaders.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

std::vector<std::string> drawn_labels(const InferModel& model) {
  constexpr size_t kMostNumbers = 1000;
  std::vector<std::string> labels = model.labels;
  const size_t classes = model.classes > 0 ? model.classes : kMaxDetections;
  if (labels.size() < std::min(classes, kMostNumbers)) labels.resize(std::min(classes, kMostNumbers));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) labels[i] = std::to_string(i);
  }
  return labels;
}

// Shows a buffer of Detections with class labels.
// All calls, including the destructor, need the context current.
class LabelledResults {
 public:
  // `shader` is draw_detections.comp or draw_classes.comp, which writes `of_each` primitives per detection. The best
  // class of the whole image is larger than the others.
  static Result<LabelledResults> create(const std::shared_ptr<ShareGroup>& group, const ShaderKey& shader,
                                        std::span<const std::string> labels, GLsizei of_each, bool are_classes);

  // The primitives that show them over a frame of that size in pixels. Rasterizes the labels if the text height has
  // changed.
  PrimitiveRange primitives(const BufferRange& detections, int32_t width, int32_t height, const InferLook& look);

 private:
  struct Block {  // Params of the shaders
    std::array<float, 4> picture{};
    std::array<int32_t, 4> counts{};
    bool operator==(const Block&) const = default;
  };
  LabelledResults(std::shared_ptr<ShareGroup> group, SharedProgram program, LabelTable labels, GLsizei of_each,
                  bool are_classes);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  SharedProgram program_;
  LabelTable labels_;
  GLsizei of_each_;
  bool are_classes_;
  PrimitiveBuffer primitives_;
  LabelPlaces places_;  // not of classes
  UniformBlock<Block> block_;
};

Result<LabelledResults> LabelledResults::create(const std::shared_ptr<ShareGroup>& group, const ShaderKey& shader,
                                                std::span<const std::string> labels, GLsizei of_each,
                                                bool are_classes) {
  const std::array<ProgramKey, 1> keys{ProgramKey{shader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return LabelledResults(group, std::move(programs[0]), LabelTable(group->gl(), labels), of_each, are_classes);
}

LabelledResults::LabelledResults(std::shared_ptr<ShareGroup> group, SharedProgram program, LabelTable labels,
                                 GLsizei of_each, bool are_classes)
    : group_(std::move(group)),
      program_(std::move(program)),
      labels_(std::move(labels)),
      of_each_(of_each),
      are_classes_(are_classes),
      primitives_(group_->gl(), of_each_ * kMaxDetections),
      places_(group_->gl()),
      block_(group_->gl()) {}

PrimitiveRange LabelledResults::primitives(const BufferRange& detections, int32_t width, int32_t height,
                                           const InferLook& look) {
  const int32_t room = std::clamp(look.max_results, 1, kMaxDetections);
  constexpr float kBest = 1.6f;  // line size of the best class relative to the others
  const float text_height = text_height_in(height, look) * (are_classes_ ? kBest : 1);
  labels_.set_height(std::max(1, static_cast<int32_t>(std::lround(text_height))));
  PrimitiveRange range = primitives_.range();
  range.count = room * of_each_;
  range.text = labels_.texture();
  Block block;
  block.picture = {static_cast<float>(width), static_cast<float>(height), 1.5f * line_width_in(height, look),
                   1 / kBest};
  block.counts = {room, 0, 0, 0};
  Pass pass(group_->gl());
  pass.uniforms(kParamsBinding, block_, block);
  if (are_classes_) {
    pass.storage({detections, primitives_.storage(range.count), labels_.block()});
    pass.dispatch(program_->id(), groups_of(range.count));
  } else {
    pass.storage({detections, primitives_.storage(range.count), labels_.block(), places_.block()});
    pass.dispatch(program_->id());
  }
  return range;
}

// Classifiers: finds the best classes of an image.

namespace {

class TopClasses final : public Decoder {
 public:
  TopClasses(std::shared_ptr<ShareGroup> group, const InferModel& model, SharedProgram program, LabelledResults drawing)
      : group_(std::move(group)),
        output_(model.output),
        classes_(static_cast<int32_t>(model.numbers_of(output_))),
        program_(std::move(program)),
        blocks_(make_blocks<Block>(group_->gl(), model.images)),
        drawing_(std::move(drawing)) {
    const Detections none;
    detections_ = make_storage(group_->gl(), sizeof(none), &none);
  }

  Status decode(const Session& session, const InputTransform& /*to_upright*/, const InferLook& look) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, session.output_buffer(output_));
    Block block;
    block.counts = {classes_, std::clamp(look.max_results, 1, kMaxDetections), image_ * classes_, 0};
    block.limits = {look.threshold, 0, 0, 0};
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, blocks_[static_cast<size_t>(image_)], block);
    pass.storage({scores, results()});
    pass.dispatch(program_->id());
    return {};
  }
  void set_image(int32_t image) override { image_ = image; }
  BufferRange results() const override { return {detections_.id(), 0, sizeof(Detections)}; }
  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    return drawing_.primitives(results(), width, height, look);
  }

 private:
  struct Block {  // Params of top_classes.comp
    std::array<int32_t, 4> counts{};
    std::array<float, 4> limits{};
    bool operator==(const Block&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  size_t output_;
  int32_t classes_;
  int32_t image_ = 0;
  SharedProgram program_;
  std::vector<UniformBlock<Block>> blocks_;  // one per image: their content stays
  GlBuffer detections_;
  LabelledResults drawing_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_class_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model) {
  GST_DEBUG_OBJECT(log_object(), "decoder: classes of output %" G_GSIZE_FORMAT ", %s", model.output,
                   model.activation == OutputActivation::kNone ? "as is" : "after a softmax");
  SIGHTGLASS_ASSIGN_OR_RETURN(
      LabelledResults drawing,
      LabelledResults::create(group, kDrawClassesShader, drawn_labels(model), kLabelledScore, true));
  const std::array<ProgramKey, 1> keys{ProgramKey{top_classes_shader(model.activation)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<TopClasses>(group, model, std::move(programs[0]), std::move(drawing));
}

// Detectors: BlazeFace and similar models, SSD models with and without TFLite_Detection_PostProcess.

namespace {

// Detectors, with or without tracks.
class BoxDecoder : public Decoder {
 public:
  static Result<LabelledResults> drawing_of(const std::shared_ptr<ShareGroup>& group,
                                            const std::vector<std::string>& labels, bool tracks) {
    constexpr GLsizei kOfEach = kLabelledBox + kMaxDetectionPoints;
    return LabelledResults::create(group, tracks ? kDrawTracksShader : kDrawDetectionsShader, labels,
                                   tracks ? kOfEach + kNumberTexts : kOfEach, false);
  }
  BoxDecoder(std::shared_ptr<ShareGroup> group, const InferModel& model, LabelledResults drawing)
      : group_(std::move(group)), drawing_(std::move(drawing)), labels_(drawn_labels(model)) {}

  Status prepare(const InferLook& look, float seconds) override {
    seconds_ = seconds;
    if (!look.tracking || tracks_) return {};
    GST_DEBUG_OBJECT(log_object(), "tracking: objects get numbers");
    SIGHTGLASS_ASSIGN_OR_RETURN(Tracker tracker, Tracker::create(group_));
    SIGHTGLASS_ASSIGN_OR_RETURN(LabelledResults drawing, drawing_of(group_, labels_, true));
    tracks_.emplace(Tracks{std::move(tracker), std::move(drawing)});
    return {};
  }
  Status decode(const Session& session, const InputTransform& to_upright, const InferLook& look) override {
    is_tracked_ = look.tracking && tracks_.has_value();
    SsdChoice choice{look.threshold, look.iou_threshold, true, look.max_results};
    if (is_tracked_) {
      choice.threshold = Tracker::least_score(look.threshold);
      choice.most = kMaxDetections;
    }
    SIGHTGLASS_RETURN_IF_ERROR(find(session, to_upright, choice));
    if (is_tracked_) {
      GST_TRACE_OBJECT(log_object(), "pass: tracking, %g s since the last run", static_cast<double>(seconds_));
      tracks_->tracker.run(found(), {seconds_, look.threshold, look.max_results});
    } else if (tracks_) {
      tracks_.reset();
    }
    return make_masks(session, to_upright, look.draw);
  }
  BufferRange results() const override { return is_tracked_ ? tracks_->tracker.tracked() : found(); }
  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    LabelledResults& drawing = look.tracking && tracks_ ? tracks_->drawing : drawing_;
    return drawing.primitives(results(), width, height, look);
  }

 protected:
  // Fills found(), a buffer of Detections: always the same one.
  virtual Status find(const Session& session, const InputTransform& to_upright, const SsdChoice& choice) = 0;
  virtual BufferRange found() const = 0;
  // Makes masks() of results() if they are `drawn`, and numbered_masks().
  virtual Status make_masks(const Session& /*session*/, const InputTransform& /*to_upright*/, bool /*drawn*/) {
    return {};
  }

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table

 private:
  struct Tracks {
    Tracker tracker;
    LabelledResults drawing;
  };
  LabelledResults drawing_;
  const std::vector<std::string> labels_;
  std::optional<Tracks> tracks_;  // while they are wanted
  bool is_tracked_ = false;       // the last results
  float seconds_ = -1;
};

// Raw outputs; suppression happens here.
class RawDetections final : public BoxDecoder {
 public:
  RawDetections(std::shared_ptr<ShareGroup> group, const InferModel& model, std::unique_ptr<SsdDecoder> decoder,
                LabelledResults drawing)
      : BoxDecoder(std::move(group), model, std::move(drawing)),
        decoder_(std::move(decoder)),
        boxes_(model.raw_detector->boxes),
        scores_(model.raw_detector->scores),
        weighted_(model.raw_detector->weighted) {}

 private:
  Status find(const Session& session, const InputTransform& to_upright, const SsdChoice& choice) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange boxes, session.output_buffer(boxes_));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, session.output_buffer(scores_));
    SsdChoice own = choice;
    own.weighted = weighted_;
    return decoder_->decode(boxes, scores, to_upright, own);
  }
  BufferRange found() const override { return {decoder_->detections(), 0, sizeof(Detections)}; }

  std::unique_ptr<SsdDecoder> decoder_;
  size_t boxes_, scores_;
  bool weighted_;
};

// The range from the beginning of the buffer that all outputs of a session share; adds `output` to it.
Result<int32_t> add_output(const Session& session, size_t output, BufferRange& all) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange range, session.output_buffer(output));
  all.buffer = range.buffer;
  all.size = std::max<GLsizeiptr>(all.size, range.offset + range.size);
  return static_cast<int32_t>(range.offset / GLintptr{sizeof(float)});
}

class YoloDetections final : public BoxDecoder {
 public:
  struct Masks {
    std::optional<YoloMasks> drawn, numbered;
  };
  YoloDetections(std::shared_ptr<ShareGroup> group, const InferModel& model, std::unique_ptr<YoloDecoder> decoder,
                 Masks masks, LabelledResults drawing)
      : BoxDecoder(std::move(group), model, std::move(drawing)),
        decoder_(std::move(decoder)),
        masks_(std::move(masks)),
        output_(model.yolo->output),
        prototypes_(model.yolo->prototypes.value_or(0)) {
    if (model.yolo->layout.centers) centers_ = {model.yolo->sizes, model.yolo->offsets};
  }

  TextureRef masks() const override { return texture_of(masks_.drawn); }
  TextureRef numbered_masks() const override { return texture_of(masks_.numbered); }

 private:
  Status find(const Session& session, const InputTransform& to_upright, const SsdChoice& choice) override {
    if (centers_) {
      BufferRange all;
      CenterOffsets first;
      SIGHTGLASS_ASSIGN_OR_RETURN(first.scores, add_output(session, output_, all));
      SIGHTGLASS_ASSIGN_OR_RETURN(first.sizes, add_output(session, (*centers_)[0], all));
      SIGHTGLASS_ASSIGN_OR_RETURN(first.offsets, add_output(session, (*centers_)[1], all));
      return decoder_->decode(all, to_upright, choice, first);
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange output, session.output_buffer(output_));
    return decoder_->decode(output, to_upright, choice);
  }
  BufferRange found() const override { return {decoder_->detections(), 0, sizeof(Detections)}; }
  Status make_masks(const Session& session, const InputTransform& to_upright, bool drawn) override {
    YoloMasks* const wanted[] = {drawn && masks_.drawn ? &*masks_.drawn : nullptr,
                                 masks_.numbered ? &*masks_.numbered : nullptr};
    if (wanted[0] == nullptr && wanted[1] == nullptr) return {};
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange output, session.output_buffer(output_));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange prototypes, session.output_buffer(prototypes_));
    for (YoloMasks* masks : wanted) {
      if (masks != nullptr) masks->run(output, prototypes, results().buffer, to_upright);
    }
    return {};
  }
  static TextureRef texture_of(const std::optional<YoloMasks>& masks) {
    return masks ? masks->texture() : TextureRef();
  }

  std::unique_ptr<YoloDecoder> decoder_;
  Masks masks_;
  size_t output_, prototypes_;
  std::optional<std::array<size_t, 2>> centers_;  // outputs with sizes and offsets
};

class FaceDetections final : public BoxDecoder {
 public:
  FaceDetections(std::shared_ptr<ShareGroup> group, const InferModel& model, std::unique_ptr<FaceDecoder> decoder,
                 LabelledResults drawing)
      : BoxDecoder(std::move(group), model, std::move(drawing)),
        decoder_(std::move(decoder)),
        outputs_(model.faces->outputs) {}

 private:
  Status find(const Session& session, const InputTransform& to_upright, const SsdChoice& choice) override {
    const FaceLayout& layout = decoder_->layout();
    const bool is_one_layer = layout.kind == FaceKind::kRetinaFace || layout.kind == FaceKind::kDbFace;
    BufferRange all;
    std::array<FaceDecoder::Offsets, kMostFaceLayers> offsets{};
    int32_t first = 0;
    for (size_t i = 0; i < offsets.size() && layout.strides[i] > 0; ++i) {
      SIGHTGLASS_ASSIGN_OR_RETURN(offsets[i].score, add_output(session, outputs_[i].score, all));
      SIGHTGLASS_ASSIGN_OR_RETURN(offsets[i].other_score, add_output(session, outputs_[i].other_score, all));
      SIGHTGLASS_ASSIGN_OR_RETURN(offsets[i].box, add_output(session, outputs_[i].box, all));
      SIGHTGLASS_ASSIGN_OR_RETURN(offsets[i].points, add_output(session, outputs_[i].points, all));
      if (!is_one_layer) continue;
      offsets[i].score += layout.score_values() * first;
      offsets[i].box += kBoxValues * first;
      offsets[i].points += 2 * layout.points * first;
      first += layout.boxes_of(layout.strides[i]);
    }
    return decoder_->decode(all, offsets, to_upright, choice);
  }
  BufferRange found() const override { return {decoder_->detections(), 0, sizeof(Detections)}; }

  std::unique_ptr<FaceDecoder> decoder_;
  std::array<FaceModel::Outputs, kMostFaceLayers> outputs_;
};

// Outputs of TFLite_Detection_PostProcess, which has done the suppression.
class ProcessedDetections final : public BoxDecoder {
 public:
  ProcessedDetections(const std::shared_ptr<ShareGroup>& group, const InferModel& model, SharedProgram program,
                      LabelledResults drawing)
      : BoxDecoder(group, model, std::move(drawing)),
        outputs_(model.processed),
        count_(model.model->outputs()[outputs_[0]].shape.elements() / 4),
        program_(std::move(program)),
        block_(group->gl()) {
    const Detections none;
    detections_ = make_storage(group->gl(), sizeof(none), &none);
  }

 private:
  Status find(const Session& session, const InputTransform& to_upright, const SsdChoice& choice) override {
    Block block;
    BufferRange all;  // covers all outputs, which share one buffer
    for (size_t i = 0; i < outputs_.size(); ++i) {
      SIGHTGLASS_ASSIGN_OR_RETURN(block.at[i], add_output(session, outputs_[i], all));
    }
    block.counts = {static_cast<int32_t>(count_), std::clamp(choice.most, 1, kMaxDetections), 0, 0};
    block.limits = {choice.threshold, 0, 0, 0};
    block.place = place_rows(to_upright);
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({all, found()});
    pass.dispatch(program_->id());
    return {};
  }
  BufferRange found() const override { return {detections_.id(), 0, sizeof(Detections)}; }

  struct Block {  // Params of postprocess.comp
    std::array<int32_t, 4> at{}, counts{};
    std::array<float, 4> limits{};
    std::array<float, 8> place{};
    bool operator==(const Block&) const = default;
  };
  std::array<size_t, 4> outputs_;
  int64_t count_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer detections_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_detection_decoder(const std::shared_ptr<ShareGroup>& group,
                                                        const InferModel& model) {
  SIGHTGLASS_ASSIGN_OR_RETURN(LabelledResults drawing, BoxDecoder::drawing_of(group, drawn_labels(model), false));
  if (model.yolo) {
    const YoloLayout& layout = model.yolo->layout;
    GST_DEBUG_OBJECT(log_object(), "decoder: YOLO, %d boxes of %d values, %d classes, %s", layout.boxes, layout.values,
                     layout.classes,
                     layout.ranked    ? "chosen by the model"
                     : layout.rotated ? "rotated, suppressed by class"
                                      : "suppressed by class");
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<YoloDecoder> decoder, YoloDecoder::create(group, layout));
    YoloDetections::Masks masks;
    const auto make = [&](YoloMasks::Shows shows, std::optional<YoloMasks>& made) -> Status {
      const Shape& shape = model.model->outputs()[*model.yolo->prototypes].shape;
      SIGHTGLASS_ASSIGN_OR_RETURN(YoloMasks objects, YoloMasks::create(group, layout, shape, shows));
      made.emplace(std::move(objects));
      return {};
    };
    if (model.yolo->prototypes) {
      SIGHTGLASS_RETURN_IF_ERROR(make(YoloMasks::Shows::kObjects, masks.drawn));
      if (model.numbered) SIGHTGLASS_RETURN_IF_ERROR(make(YoloMasks::Shows::kNumbers, masks.numbered));
    }
    return std::make_unique<YoloDetections>(group, model, std::move(decoder), std::move(masks), std::move(drawing));
  }
  if (model.faces) {
    GST_DEBUG_OBJECT(log_object(), "decoder: faces, %d boxes, %d points", model.faces->layout.boxes(),
                     model.faces->layout.points);
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<FaceDecoder> decoder, FaceDecoder::create(group, model.faces->layout));
    return std::make_unique<FaceDetections>(group, model, std::move(decoder), std::move(drawing));
  }
  if (model.raw_detector) {
    GST_DEBUG_OBJECT(log_object(), "decoder: boxes of %" G_GSIZE_FORMAT " anchors, suppressed by the decoder",
                     model.raw_detector->layout.anchors.size());
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<SsdDecoder> decoder,
                                SsdDecoder::create(group, model.raw_detector->layout));
    return std::make_unique<RawDetections>(group, model, std::move(decoder), std::move(drawing));
  }
  GST_DEBUG_OBJECT(log_object(), "decoder: boxes, suppressed by TFLite_Detection_PostProcess");
  const std::array<ProgramKey, 1> keys{ProgramKey{kPostprocessShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<ProcessedDetections>(group, model, std::move(programs[0]), std::move(drawing));
}

// Models that convert the frame to another image: colors, or one value per pixel shown with a color map.

namespace {

// The dimension of a single channel may be missing.
int32_t channels_of(const Shape& shape) { return shape.rank() == 4 ? shape.dim(3) : 1; }

class NewPicture final : public Decoder {
 public:
  NewPicture(std::shared_ptr<ShareGroup> group, const InferModel& model, std::vector<SharedProgram> programs)
      : group_(std::move(group)),
        output_(model.output),
        scale_(model.output_scale),
        offset_(model.output_offset),
        programs_(std::move(programs)),
        block_(group_->gl()),
        range_block_(group_->gl()) {
    const Shape& shape = model.model->outputs()[output_].shape;
    height_ = shape.dim(1);
    width_ = shape.dim(2);
    channels_ = channels_of(shape);
    texture_ = make_texture(group_->gl(), GL_RGBA8, width_, height_);
    range_ = make_storage(group_->gl(), kRangeBytes, kNoRange.data());
  }

  Status decode(const Session& session, const InputTransform& /*to_upright*/, const InferLook& look) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, session.output_buffer(output_));
    Pass pass(group_->gl());
    pass.storage(0, numbers);
    if (is_map()) {
      if (std::exchange(forgotten_, false)) range_ = make_storage(group_->gl(), kRangeBytes, kNoRange.data());
      const float share = 1.0f - std::clamp(look.range_smoothing, 0.0f, 0.999f);
      pass.uniforms(kParamsBinding, range_block_, {{width_ * height_, 0, 0, 0}, {share, 0, 0, 0}});
      pass.storage(1, {range_.id(), 0, kRangeBytes});
      pass.dispatch(programs_[1]->id());
    }
    Block block;
    block.size = {width_, height_, channels_, static_cast<int32_t>(look.color_map)};
    block.scale = {scale_, offset_, look.invert ? 1.0f : 0.0f, 0};
    pass.uniforms(kParamsBinding, block_, block);
    pass.write(0, texture_.id(), GL_RGBA8);
    pass.dispatch(programs_[0]->id(), groups_of(width_), static_cast<GLuint>(height_));
    return {};
  }
  TextureRef picture() const override { return {texture_.id(), GL_TEXTURE_2D, width_, height_}; }
  void forget() override { forgotten_ = is_map(); }

 private:
  static constexpr GLsizeiptr kRangeBytes = 16;
  static constexpr std::array<float, 4> kNoRange{};
  bool is_map() const { return channels_ == 1; }

  struct Block {  // Params of to_picture.comp
    std::array<int32_t, 4> size{};
    std::array<float, 4> scale{};
    bool operator==(const Block&) const = default;
  };
  struct RangeBlock {  // Params of range.comp
    std::array<int32_t, 4> counts{};
    std::array<float, 4> share{};
    bool operator==(const RangeBlock&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  size_t output_;
  float scale_, offset_;
  std::vector<SharedProgram> programs_;  // picture, range
  UniformBlock<Block> block_;
  UniformBlock<RangeBlock> range_block_;
  GlTexture texture_;
  GlBuffer range_;
  int32_t width_ = 0, height_ = 0, channels_ = 0;
  bool forgotten_ = false;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_picture_decoder(const std::shared_ptr<ShareGroup>& group,
                                                      const InferModel& model) {
  const bool map = channels_of(model.model->outputs()[model.output].shape) == 1;
  GST_DEBUG_OBJECT(log_object(), "decoder: output %" G_GSIZE_FORMAT " as an image of %dx%d, %s", model.output,
                   model.picture_width, model.picture_height, map ? "with a color map" : "with its own colors");
  const std::array<ProgramKey, 2> keys{ProgramKey{to_picture_shader(map)}, ProgramKey{kRangeShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<NewPicture>(group, model, std::move(programs));
}

}  // namespace sightglass

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/text_atlas.h"
#include "element/model_bin.h"
#include "element/model_filter.h"
#include "element_names.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gpu_engine/files.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "infer/inferencer.h"
#include "meta/meta_types.h"
#include "model_store.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

GstDebugCategory* infer_log() {
  static GstDebugCategory* const category = make_log_category("glinfer", "inference with any model");
  return category;
}

namespace {

using S = InferSettings;

constexpr double kMostScale = 65536;  // same as for input-scale
constexpr double kScaleDefault = 1, kOffsetDefault = 0;

// The values of the property are the rows of the table.
GType decoder_type() {
  std::vector<GEnumValue> values{
      {EnumNumbers<DecoderKind>::number(DecoderKind::kAuto), "The first one that fits the model and task", "auto"}};
  for (const DecoderRow& row : decoder_rows()) {
    values.push_back({EnumNumbers<DecoderKind>::number(row.kind), row.meaning, row.name});
  }
  return enum_type("GstGLInferDecoder", values);
}

template <typename T>
auto look(T InferLook::*member) {
  return within(&S::look, member);
}
template <typename T>
auto objects(T ObjectChoice::*member) {
  return within(&S::objects, member);
}
auto batch_of_model() {
  ModelSettings S::*const model = &S::model;
  return within(model, &ModelSettings::batch);
}

}  // namespace

const PropertyTable<InferSettings>& infer_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::choice("task", "Task", &S::task, "GstGLInferTask",
                      {{InferTask::kAuto, "Task determined from the model outputs", "auto"},
                       {InferTask::kTensors, "No decoding; frames stay unchanged", "tensors"},
                       {InferTask::kClassification, "One score per class", "classification"},
                       {InferTask::kDetection, "Boxes, with points if the model has any", "detection"},
                       {InferTask::kLandmarks, "Points of a face or hand", "landmarks"},
                       {InferTask::kPicture, "Image or depth instead of the frame", "picture"},
                       {InferTask::kVector, "Numbers that describe each object upstream", "vector"}},
                      kAtStart, "How to decode the model outputs"),
          row::choice("decoder", "Decoder", &S::decoder, decoder_type(), kAtStart,
                      "Decoder of the model outputs, for models whose outputs do not show which one fits"),
          row::text("anchors", "Anchors", &S::anchors, kAtStart,
                    "Anchors of a detector, such as \"strides=16,32 scales=0.2,0.9\", or for YOLO v2 "
                    "\"sizes=0.1x0.2,0.3x0.3\" (NULL = those of known detectors)"),
          row::text("labels", "Labels", &S::labels, kAtStart,
                    "Path of a text file with one label per line, starting with class 0 (NULL = labels from the "
                    "model)"),
          row::text("extra-inputs", "Extra inputs", &S::extra_inputs, kAtStart,
                    "Path of a file with the concatenated raw little-endian values of all other model inputs (NULL = "
                    "zeros)"),
          row::text("detector", "Detector", &S::detector, kAtStart,
                    "Path or name of the detector that finds the region for a landmark model (NULL = from the bundle, "
                    "otherwise whole frame)"),
          row::optional_number(
              "output-scale", "Output scale", &S::output_scale, kScaleDefault, -kMostScale, kMostScale, kAtStart,
              "Scale factor from model output values to colors in [0,1], applied before output-offset (unset = "
              "from the model)"),
          row::optional_number("output-offset", "Output offset", &S::output_offset, kOffsetDefault, -kMostScale,
                               kMostScale, kAtStart,
                               "Offset added to scaled model output values (unset = from the model)"),
          row::flag("attach-tensors", "Attach tensors", &S::attach_tensors, kAtStart,
                    "Whether to attach the model outputs to each buffer as SightglassTensorMeta in GL buffers"),
          row::flag("attach-mask", "Attach mask", &S::attach_mask, kAtStart,
                    "Whether to attach the masks of the objects of a YOLO segmentation model to each buffer as "
                    "SightglassMaskMeta (also GstAnalyticsSegmentationMtd with GStreamer 1.26)"),
          row::choice("output-size", "Output size", &S::output_size, "GstGLInferOutputSize",
                      {{OutputSize::kFrame, "Size of the frame", "frame"},
                       {OutputSize::kModel, "Size of the model output", "model"}},
                      kAtStart, "Size of output frames if the model outputs an image"),
          row::choice("regions", "Regions", &S::regions, "GstGLInferRegions",
                      {{RegionSource::kFrame, "The whole frame, or what a detector finds", "frame"},
                       {RegionSource::kUpstream, "Each object that a glinfer upstream has found", "upstream"}},
                      kAtStart, "Parts of the frame that the model runs on"),
          row::number("region-batch", "Region batch", batch_of_model(), 0, kMaxObjectRuns, kAtStart,
                      "With regions=upstream: number of objects in a run, for models that leave the batch of their "
                      "input open (0 = as in the file)"),
          row::text("region-classes", "Region classes", &S::region_classes, kLive,
                    "With regions=upstream: comma-separated names or numbers of the classes that the model runs on "
                    "(NULL or empty = all)"),
          row::number("region-limit", "Region limit", objects(&ObjectChoice::most), 1, kMaxObjectRuns, kLive,
                      "With regions=upstream: maximum number of objects per frame that the model runs on; the others "
                      "follow in the next frames"),
          row::number("region-interval", "Region interval", objects(&ObjectChoice::interval), 1, kMostInferenceInterval,
                      kLive, "With regions=upstream: run the model on each tracked object in every Nth frame"),
          row::number("region-min-size", "Minimum region size", objects(&ObjectChoice::min_size), 0, 16384, kLive,
                      "With regions=upstream: minimum width and height of an object in frame pixels"),
          row::number("region-scale", "Region scale", objects(&ObjectChoice::scale), 0.1F, 10, kLive,
                      "With regions=upstream: size of the part that the model samples relative to the box"),
          row::number("threshold", "Threshold", look(&InferLook::threshold), 0, 1, kLive, "Minimum score of a result"),
          row::optional_number("iou-threshold", "Overlap threshold", &S::iou_threshold, S::kUsualOverlap, 0, 1, kLive,
                               "Intersection over union above which boxes are merged, if the model does not (0.45 for "
                               "YOLO unless set)"),
          row::optional_number("max-results", "Maximum results", &S::max_results, S::kUsualResults, 1, kMaxDetections,
                               kLive,
                               "Maximum number of boxes or classes; unless set, 1 class of an object upstream, 1 face "
                               "or hand of a detector (up "
                               "to 8)"),
          row::flag("tracking", "Tracking", look(&InferLook::tracking), kLive,
                    "Whether to give each object of a detector a number that stays the same in all frames"),
          row::flag("draw", "Draw", look(&InferLook::draw), kLive,
                    "Whether to draw results over the frame, or show the image from the model instead of it"),
          row::number("line-width", "Line width", look(&InferLook::line_width), 0, 200, kLive,
                      "Width of lines in frame pixels (0 = by the frame height)"),
          row::number("text-height", "Text height", look(&InferLook::text_height), 0, 1000, kLive,
                      "Height of a text line in frame pixels (0 = by the frame height)"),
          row::choice(
              "color-map", "Color map", look(&InferLook::color_map), "GstGLInferColorMap",
              {{ColorMap::kGray, "Black to white", "gray"}, {ColorMap::kTurbo, "Blue over green to red", "turbo"}},
              kLive, "Colors for models with one value per pixel, such as depth"),
          row::flag("invert", "Invert", look(&InferLook::invert), kLive, "Whether to reverse the color map"),
          row::number("range-smoothing", "Range smoothing", look(&InferLook::range_smoothing), 0, 0.99F, kLive,
                      "Weight of the previous value range of the color map, to reduce flicker (0 = disabled)"),
          row::choice("fit", "Fit", &S::fit, "GstGLInferFit",
                      {{std::nullopt, "Letterbox for faces, palms, people and YOLO, otherwise stretch", "auto"},
                       {Fit::kStretch, "Scale each axis separately", "stretch"},
                       {Fit::kLetterbox, "Show the whole frame with bars", "letterbox"},
                       {Fit::kCover, "Crop the frame to the model aspect ratio", "cover"}},
                      kLive, "How to fit a frame of another aspect ratio into the model input"),
      },
      run_properties<S>(&S::run), failure_properties<S>(&S::run), results_properties<S>(&S::results));
  return *table;
}

namespace {

// Loads the contents of all inputs after the first one.
Result<std::vector<std::vector<std::byte>>> load_extra_inputs(const std::string& path, const Model& model) {
  std::vector<std::vector<std::byte>> contents;
  if (path.empty()) return contents;
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok()) return file.status().with_context("extra-inputs=" + path);
  int64_t expected = 0;
  for (size_t i = 1; i < model.inputs().size(); ++i) {
    const TensorInfo& input = model.inputs()[i];
    contents.emplace_back(static_cast<size_t>(input.shape.elements()) * size_of(input.type));
    expected += static_cast<int64_t>(contents.back().size());
  }
  if (contents.empty()) {
    return invalid_argument("extra-inputs=" + path + ": " + model.name() + " has no input other than the image");
  }
  if (file->size() != expected) {
    return invalid_argument("extra-inputs=" + path + ": the file has " + std::to_string(file->size()) +
                            " bytes, but the inputs other than the image need " + std::to_string(expected) +
                            "; the inputs are " + list(model.inputs()));
  }
  for (std::vector<std::byte>& content : contents) {
    const Status status = file->read_exactly(content);
    if (!status.ok()) return status.with_context("extra-inputs=" + path);
  }
  return contents;
}

// The checks below report settings without effect on a model of this task, except for defaults.

std::string decoded_as(const InferModel& model) {
  return model.model->name() + " is decoded as " + to_string(model.task);
}

Status check_max_results(const InferSettings& settings, const InferModel& model) {
  if (!settings.max_results || model.task == InferTask::kClassification || model.task == InferTask::kDetection ||
      model.in_region || model.on_objects) {
    return {};
  }
  return unsupported("max-results=" + std::to_string(*settings.max_results) + ": has no effect: " + decoded_as(model) +
                     "; use it for classification, detection, and landmarks with a detector");
}

Status check_results(const InferSettings& settings, const InferModel& model) {
  if (settings.results.mode == ResultsMode::kNone ||
      (model.task != InferTask::kTensors && model.task != InferTask::kPicture)) {
    return {};
  }
  return unsupported("results: has no effect: " + decoded_as(model) +
                     "; set attach-tensors=true to decode the model outputs in the application");
}

Status check_tracking(const InferSettings& settings, const InferModel& model) {
  if (!settings.look.tracking || model.task == InferTask::kDetection) return {};
  return unsupported("tracking=true: has no effect: " + decoded_as(model) +
                     "; use it for detection; landmarks with a detector are always tracked");
}

Status check_drawing(const InferSettings& settings, const InferModel& model) {
  if (settings.task != InferTask::kAuto || settings.decoder != DecoderKind::kAuto ||
      model.task != InferTask::kTensors || !settings.look.draw || settings.attach_tensors) {
    return {};
  }
  std::string text = "draw=true: has no effect: cannot determine the task of " + model.model->name() +
                     " from its outputs, " + list(model.model->outputs());
  for (const std::string& decoder : model.nearest) text += "; near: " + decoder;
  return unsupported(text + "; set decoder" + (model.nearest.empty() ? " or task" : " to one of these") +
                     ", or attach-tensors=true to decode them in the application");
}

// A model, and optionally the detector that finds its region.
class InferModels : public LoadedModel {
 public:
  explicit InferModels(std::shared_ptr<const InferSettings> settings) : settings_(std::move(settings)) {}

  Status load(const std::string& path);
  Result<std::unique_ptr<Effect>> create(const GlTarget& target) const override;
  std::vector<std::string> warnings() const override;
  const InferModel& infer() const { return *model_; }

 private:
  Result<InferModel> describe(const SharedModel& model, const ModelSettings& settings) const;
  Result<InferModelOptions> options(const ModelSettings& settings, const ModelNotes& notes, const Model& model) const;
  Status check_detector(const InferModel& model, const ModelSettings& settings) const;
  Status check_objects(const InferModel& model, const ModelSettings& settings) const;
  Status find_detector(const TaskModels& bundle);
  Status load_detector(const ModelSettings& settings);
  Status load_blendshapes(const std::string& path, const ModelSettings& settings);

  const std::shared_ptr<const InferSettings> settings_;
  std::string detector_path_, bundle_warning_;        // empty: none
  ModelNotes notes_;                                  // of the file next to the model
  DescribedModel<InferModel> model_, detector_;       // the second one only if there is a detector
  DescribedModel<BlendshapeModel> blendshapes_;       // only from a bundle, with a detector
  std::vector<std::vector<std::byte>> extra_inputs_;  // by input, from the second one on; empty: zeros
};

Status InferModels::load(const std::string& path) {
  const ModelSettings& settings = settings_->model;
  if (settings.batch > 0 && settings_->regions != RegionSource::kUpstream) {
    return invalid_argument("region-batch=" + std::to_string(settings.batch) + ": needs regions=upstream");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskModels bundle, task_models(path, "glinfer"));
  bundle_warning_ = bundle.warning;
  SIGHTGLASS_ASSIGN_OR_RETURN(notes_, read_model_notes(bundle.model));
  SIGHTGLASS_RETURN_IF_ERROR(find_detector(bundle));
  const auto describe = [&](const SharedModel& model) { return this->describe(model, settings); };
  const auto load_as = [&](ImageOrder order) {
    return DescribedModel<InferModel>::load(bundle.model, settings, describe, order);
  };
  // Applications get outputs in the order of the file, except for images.
  const bool wants_picture = settings_->task == InferTask::kPicture || settings_->decoder == DecoderKind::kPicture ||
                             noted(notes_, "task") == "picture" || noted(notes_, "decoder") == "picture";
  SIGHTGLASS_ASSIGN_OR_RETURN(model_, load_as(wants_picture ? ImageOrder::kArranged : ImageOrder::kArrangedInputs));
  const bool is_auto = settings_->task == InferTask::kAuto && settings_->decoder == DecoderKind::kAuto;
  if (is_auto && model_->task == InferTask::kTensors) {
    Result<DescribedModel<InferModel>> arranged = load_as(ImageOrder::kArranged);
    if (arranged.ok() && (*arranged)->task == InferTask::kPicture) model_ = std::move(arranged).value();
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(extra_inputs_, load_extra_inputs(settings_->extra_inputs.value_or(""), *model_->model));
  SIGHTGLASS_RETURN_IF_ERROR(load_detector(settings));
  return load_blendshapes(bundle.blendshapes, settings);
}

// An explicit detector has priority over the one in the bundle.
Status InferModels::find_detector(const TaskModels& bundle) {
  detector_path_ = bundle.detector;
  if (settings_->detector.value_or("").empty()) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(*settings_->detector));
  SIGHTGLASS_ASSIGN_OR_RETURN(detector_path_, task_detector(path));
  return {};
}

// Always with 32 bits: 16 bits would round landmarks, which are in pixels, to half a pixel.
Status InferModels::load_blendshapes(const std::string& path, const ModelSettings& settings) {
  if (path.empty() || !model_->in_region || model_->points.count != kMaxLandmarks) return {};
  ModelSettings exact = settings;
  exact.precision = Precision::kFp32;
  exact.input_size.reset();
  exact.batch = 0;
  exact.signature.reset();
  const auto describe = [](const SharedModel& model) { return describe_blendshape_model(model.model()); };
  SIGHTGLASS_ASSIGN_OR_RETURN(blendshapes_,
                              DescribedModel<BlendshapeModel>::load(path, exact, describe, ImageOrder::kAsInFile));
  return {};
}

Result<InferModelOptions> InferModels::options(const ModelSettings& settings, const ModelNotes& notes,
                                               const Model& model) const {
  InferModelOptions options;
  options.task = settings_->task;
  options.decoder = settings_->decoder;
  options.labels_file = settings_->labels.value_or("");
  options.anchors = settings_->anchors.value_or("");
  options.normalization = settings.normalization();
  options.on_objects = settings_->regions == RegionSource::kUpstream;
  if (settings_->output_scale) options.output_scale = static_cast<float>(*settings_->output_scale);
  if (settings_->output_offset) options.output_offset = static_cast<float>(*settings_->output_offset);
  SIGHTGLASS_RETURN_IF_ERROR(apply_notes(notes, model, options));
  return options;
}

Result<InferModel> InferModels::describe(const SharedModel& model, const ModelSettings& settings) const {
  SIGHTGLASS_ASSIGN_OR_RETURN(const InferModelOptions options, this->options(settings, notes_, *model.model()));
  SIGHTGLASS_ASSIGN_OR_RETURN(InferModel infer, describe_infer_model(model.model(), model.known(), options));
  infer.own_size = settings_->output_size == OutputSize::kModel;
  if (infer.own_size && infer.task != InferTask::kPicture) {
    return invalid_argument("output-size=model: needs a model that outputs an image: " + decoded_as(infer) +
                            "; set output-size=frame");
  }
  infer.numbered = settings_->attach_mask;
  if (infer.numbered && !(infer.yolo && infer.yolo->prototypes)) {
    return invalid_argument("attach-mask=true: needs a YOLO segmentation model: " + decoded_as(infer) +
                            (infer.task == InferTask::kDetection ? " without masks" : "") +
                            "; for a model with a mask of one foreground, use " + elements::kSegment.element);
  }
  const DecoderRow& row = row_of(infer.decoder);
  GST_DEBUG_OBJECT(log_object(), "%s: decoded as %s by %s (%s), input of %dx%d, %" G_GSIZE_FORMAT " labels",
                   model.model()->name().c_str(), to_string(infer.task), row.name, row.kernels, infer.width,
                   infer.height, infer.labels.size());
  infer.in_region = !detector_path_.empty();
  SIGHTGLASS_RETURN_IF_ERROR(check_detector(infer, settings));
  SIGHTGLASS_RETURN_IF_ERROR(check_objects(infer, settings));
  return infer;
}

Status InferModels::check_detector(const InferModel& model, const ModelSettings& settings) const {
  if (!model.in_region) return {};
  if (model.task != InferTask::kLandmarks) {
    return invalid_argument("detector=" + detector_path_ + ": only for landmark models: " + decoded_as(model));
  }
  if (settings.fallback == Fallback::kCpu) {
    return unsupported(
        "detector: cannot be used with fallback=cpu: the GPU decides whether the landmark model runs; set "
        "fallback=error");
  }
  return {};
}

Status InferModels::check_objects(const InferModel& model, const ModelSettings& settings) const {
  if (!model.on_objects && model.task == InferTask::kVector) {
    return invalid_argument(
        "decoder=vector: needs regions=upstream; for a vector of the whole frame, set "
        "attach-tensors=true");
  }
  if (!model.on_objects) return {};
  if (model.in_region) {
    return invalid_argument(
        "regions=upstream: cannot be used with a detector of its own: unset detector, and set model "
        "to one model of a bundle");
  }
  if (settings.fallback == Fallback::kCpu) {
    return unsupported(
        "regions=upstream: cannot be used with fallback=cpu: the GPU decides whether the model runs; set "
        "fallback=error");
  }
  return layout_of_objects(model).status();
}

// Loads the detector that finds the region for a landmark model.
Status InferModels::load_detector(const ModelSettings& settings) {
  if (!model_->in_region) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(const ModelNotes notes, read_model_notes(detector_path_));
  const auto describe = [&notes](const SharedModel& model) -> Result<InferModel> {
    InferModelOptions options;
    SIGHTGLASS_RETURN_IF_ERROR(apply_notes(notes, *model.model(), options));
    options.task = InferTask::kDetection;
    return describe_infer_model(model.model(), model.known(), options);
  };
  ModelSettings own = settings;
  own.input_size.reset();
  own.batch = 0;
  own.signature.reset();
  SIGHTGLASS_ASSIGN_OR_RETURN(
      detector_, DescribedModel<InferModel>::load(detector_path_, own, describe, ImageOrder::kArrangedInputs));
  return {};
}

std::vector<std::string> InferModels::warnings() const {
  std::vector<std::string> warnings;
  model_.add_warnings(warnings);
  if (!bundle_warning_.empty()) warnings.push_back(bundle_warning_);
  if (!model_->labels_warning.empty()) warnings.push_back(model_->labels_warning);
  if (model_->model->inputs().size() > 1 && extra_inputs_.empty()) {
    warnings.push_back(model_->model->name() + ": the inputs other than the image are zeros: " +
                       list(model_->model->inputs()) + "; set extra-inputs to a file with their values");
  }
  for (const Status& status : {check_max_results(*settings_, *model_), check_results(*settings_, *model_),
                               check_tracking(*settings_, *model_), check_drawing(*settings_, *model_)}) {
    if (!status.ok()) warnings.push_back(status.message());
  }
  const bool has_labels = model_->task == InferTask::kClassification || model_->task == InferTask::kDetection;
  if (!has_labels || !settings_->look.draw) return warnings;
  if (auto missing = missing_font_warning("draw=true")) warnings.push_back(std::move(*missing));
  return warnings;
}

Result<std::unique_ptr<Effect>> InferModels::create(const GlTarget& target) const {
  const FrameKind read = Inferencer::planned_kind(target.device, *model_, target.frame);
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, model_.plan(target, read));
  std::optional<Inferencer::Detector> detector;
  if (detector_) {
    SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> first, detector_.plan(target, read));
    detector.emplace(Inferencer::Detector{*detector_, std::move(first)});
  }
  std::shared_ptr<const Plan> blendshapes;
  if (blendshapes_) {
    SIGHTGLASS_ASSIGN_OR_RETURN(blendshapes, blendshapes_.plan(target, read));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Inferencer> inferencer,
                              Inferencer::create(target, std::move(plan), *model_, detector, std::move(blendshapes)));
  for (size_t i = 0; i < extra_inputs_.size(); ++i) {
    SIGHTGLASS_RETURN_IF_ERROR(inferencer->write_input(i + 1, extra_inputs_[i]));
  }
  if (settings_->attach_tensors) inferencer->attach_tensors();
  return std::unique_ptr<Effect>(std::move(inferencer));
}

class InferElement : public ModelElement {
 public:
  explicit InferElement(GstElement* element)
      : ModelElement(element, std::make_unique<PropertiesOf<InferSettings>>(infer_properties())) {}

  std::optional<OwnSize> own_size() const override;
  bool wants_objects() const override { return current()->regions == RegionSource::kUpstream; }
  Result<std::shared_ptr<const LoadedModel>> load(const std::shared_ptr<const ElementSettings>& wanted) const override;
  void adopt(const std::shared_ptr<const LoadedModel>& model) override;

 private:
  std::shared_ptr<const InferSettings> current() const {
    return std::static_pointer_cast<const InferSettings>(settings.snapshot());
  }
  Status complete(std::shared_ptr<const ElementSettings>& wanted, const DeviceInfo* device) override;

  mutable std::mutex mutex_;  // guards the next two
  bool is_loaded_ = false;
  std::optional<OwnSize> own_size_;                             // of the loaded model; the seen size is its input
  std::shared_ptr<const InferModels> model_;                    // streaming thread only
  bool told_of_max_results_ = false, told_of_results_ = false;  // whether warned that they have no effect
};

std::optional<OwnSize> InferElement::own_size() const {
  const std::shared_ptr<const InferSettings> wanted = current();
  const std::lock_guard lock(mutex_);
  if (!is_loaded_) return wanted->output_size == OutputSize::kModel ? std::optional(OwnSize()) : std::nullopt;
  if (!own_size_) return {};
  OwnSize size = *own_size_;
  // Image models process the whole frame, unless `fit` keeps the proportions of its pixels.
  if (wanted->fit.value_or(Fit::kStretch) == Fit::kStretch) size.seen_width = size.seen_height = 0;
  return size;
}

// Posts each warning once, and one at a time.
Status InferElement::complete(std::shared_ptr<const ElementSettings>& wanted, const DeviceInfo* device) {
  if (device != nullptr) return {};
  const auto& own = static_cast<const InferSettings&>(*wanted);
  const InferModel& model = model_->infer();
  if (Status status = check_max_results(own, model); !status.ok() && !std::exchange(told_of_max_results_, true)) {
    return status;
  }
  if (Status status = check_results(own, model); !status.ok() && !std::exchange(told_of_results_, true)) {
    return status;
  }
  return {};
}

Result<std::shared_ptr<const LoadedModel>> InferElement::load(
    const std::shared_ptr<const ElementSettings>& wanted) const {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, model_file(wanted->model, "TFLite"));
  const auto models = std::make_shared<InferModels>(std::static_pointer_cast<const InferSettings>(wanted));
  SIGHTGLASS_RETURN_IF_ERROR(models->load(file));
  return std::shared_ptr<const LoadedModel>(models);
}

void InferElement::adopt(const std::shared_ptr<const LoadedModel>& model) {
  model_ = std::static_pointer_cast<const InferModels>(model);
  const std::shared_ptr<const InferSettings> at_load = current();
  told_of_max_results_ = model_ != nullptr && !check_max_results(*at_load, model_->infer()).ok();
  told_of_results_ = model_ != nullptr && !check_results(*at_load, model_->infer()).ok();
  const std::lock_guard lock(mutex_);
  is_loaded_ = model_ != nullptr;
  own_size_.reset();
  if (model_ == nullptr) return;
  const InferModel& infer = model_->infer();
  if (infer.own_size) own_size_ = {infer.picture_width, infer.picture_height, infer.width, infer.height};
}

}  // namespace
}  // namespace sightglass

namespace {

using sightglass::InferElement;

struct GstGLInfer {
  GstGLModelFilter parent;
};
struct GstGLInferClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLInfer, gst_gl_infer, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glinfer, "glinfer", GST_RANK_NONE, gst_gl_infer_get_type())

static void gst_gl_infer_init(GstGLInfer* self) {
  sightglass::model_filter_set_element(self, std::make_unique<InferElement>(GST_ELEMENT(self)));
}

static void gst_gl_infer_class_init(GstGLInferClass* klass) {
  klass->parent_class.log = sightglass::infer_log();
  sightglass::mask_meta_info();
  sightglass::results_meta_info();
  sightglass::tensor_meta_info();
  sightglass::objects_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_model_properties(object_class);
  sightglass::infer_properties().install(object_class);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL inference", "Filter/Analyzer/Effect/Video",
      "Runs a TensorFlow Lite model in the GL context of the pipeline; decodes classes, boxes, landmarks and images",
      SIGHTGLASS_AUTHOR);
}

namespace {

struct GstGLInferBin {
  GstGLModelBin parent;
};
struct GstGLInferBinClass {
  GstGLModelBinClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLInferBin, gst_gl_infer_bin, gst_gl_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glinferbin, "glinferbin", GST_RANK_NONE, gst_gl_infer_bin_get_type())

static void gst_gl_infer_bin_init(GstGLInferBin* self) { sightglass::model_bin_build(self, "glinfer", "infer"); }

static void gst_gl_infer_bin_class_init(GstGLInferBinClass* klass) {
  klass->parent_class.log = sightglass::make_log_category("glinferbin", "glinfer with upload and download");
  sightglass::model_bin_pass_properties(G_OBJECT_CLASS(klass));
  sightglass::infer_properties().install(G_OBJECT_CLASS(klass));
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL inference with upload and download", "Filter/Analyzer/Effect/Video",
      "glinfer with upload (DMABUFs without a copy), color conversion, and download if downstream "
      "needs it",
      SIGHTGLASS_AUTHOR);
}

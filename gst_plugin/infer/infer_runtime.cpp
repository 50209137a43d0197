#include "infer/infer_runtime.h"

#include <gst/base/gstbasetransform.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "draw/text_atlas.h"
#include "element/frame_processor.h"
#include "element/model_processor.h"
#include "element/run_settings.h"
#include "element/shared_model.h"
#include "gobject/log.h"
#include "gpu_engine/files.h"
#include "infer/blendshapes.h"
#include "infer/infer_model.h"
#include "infer/inferencer.h"
#include "infer/landmarks.h"
#include "infer/tensor_attachment.h"
#include "meta/inference_results.h"
#include "model_store.h"
#include "results/delivery.h"
#include "results/readback.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

using S = InferSettings;

constexpr double kMostScale = 65536;  // same as for input-scale
constexpr double kScaleDefault = 1, kOffsetDefault = 0;

template <typename T>
auto look(T InferLook::*member) {
  return within(&S::look, member);
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
                       {InferTask::kPicture, "Image or depth instead of the frame", "picture"}},
                      kAtStart, "How to decode the model outputs"),
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
          row::choice("output-size", "Output size", &S::output_size, "GstGLInferOutputSize",
                      {{OutputSize::kFrame, "Size of the frame", "frame"},
                       {OutputSize::kModel, "Size of the model output", "model"}},
                      kAtStart, "Size of output frames if the model outputs an image"),
          row::number("threshold", "Threshold", look(&InferLook::threshold), 0, 1, kLive, "Minimum score of a result"),
          row::number("iou-threshold", "Overlap threshold", look(&InferLook::iou_threshold), 0, 1, kLive,
                      "Intersection over union above which boxes are merged (ignored with "
                      "TFLite_Detection_PostProcess)"),
          row::optional_number(
              "max-results", "Maximum results", &S::max_results, S::kUsualResults, 1, kMaxDetections, kLive,
              "Maximum number of boxes or classes; with a detector, of faces or hands (up to 8, 1 unless set)"),
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
                      {{std::nullopt, "Letterbox for faces, palms and people, otherwise stretch", "auto"},
                       {Fit::kStretch, "Scale each axis separately", "stretch"},
                       {Fit::kLetterbox, "Show the whole frame with bars", "letterbox"},
                       {Fit::kCover, "Crop the frame to the model aspect ratio", "cover"}},
                      kLive, "How to fit a frame of another aspect ratio into the model input"),
      },
      run_properties(&S::run), failure_properties(&S::run), results_properties(&S::results));
  return *table;
}

// Converts the GPU buffers of decoders, after readback, to results for applications.

namespace {

// Names the object by the subject of the landmarks.
void name_subject(const InferModel::PointsLayout& points, const Landmarks& landmarks, ResultObject& object) {
  object.class_id = 0;
  switch (points.subject) {
    case InferModel::Subject::kFace:
      object.label = "face";
      break;
    case InferModel::Subject::kEye:
      object.label = "eye";
      break;
    case InferModel::Subject::kHand:
      object.label = "hand";
      object.skeleton = &hand_skeleton();
      if (!points.handedness) break;
      object.class_id = landmarks.right >= 0.5f ? 1 : 0;
      object.label = object.class_id == 1 ? "right_hand" : "left_hand";
      break;
    case InferModel::Subject::kUnknown:
      break;
  }
}

// Adds a face, hand or eye as an object whose box encloses all of its points.
void add_landmarks(const Landmarks& landmarks, size_t blendshapes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  const int32_t count = std::clamp(landmarks.count, 0, kMaxLandmarks);
  if (count == 0 || !(landmarks.score >= threshold)) return;
  ResultObject object;
  name_subject(model.points, landmarks, object);
  object.score = landmarks.score;
  object.id = landmarks.id;
  object.box = {landmarks.points[0][0], landmarks.points[0][1], landmarks.points[0][0], landmarks.points[0][1]};
  for (int32_t i = 0; i < count; ++i) {
    const auto& [x, y, z, unused] = landmarks.points[static_cast<size_t>(i)];
    object.points.push_back({x, y, z, landmarks.score, landmarks.score, 0, 0, 0});
    object.box = {std::min(object.box[0], x), std::min(object.box[1], y), std::max(object.box[2], x),
                  std::max(object.box[3], y)};
  }
  for (size_t i = 0; i < blendshapes; ++i) {
    object.classifications.push_back({kBlendshapeNames[i], static_cast<int32_t>(i), landmarks.blendshapes[i]});
  }
  results.objects.push_back(std::move(object));
}

void add_landmarks(std::span<const std::byte> bytes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  const auto found = std::make_unique<LandmarkObjects>();
  std::memcpy(found.get(), bytes.data(), std::min(bytes.size(), sizeof(*found)));
  const auto count = static_cast<size_t>(std::clamp(found->count, 0, kMaxLandmarkObjects));
  const auto blendshapes = static_cast<size_t>(std::clamp(found->blendshapes, 0, kBlendshapes));
  for (size_t i = 0; i < count; ++i) add_landmarks(found->objects[i], blendshapes, model, threshold, results);
}

}  // namespace

// Returns objects or classifications from the bytes of Detections or LandmarkObjects, depending on the model task.
// Skips landmarks with a score below `threshold`. Does not set the frame.
InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold) {
  InferenceResults results;
  results.model = model_title(model.model->name());
  switch (model.task) {
    case InferTask::kDetection:
      results.objects = detections_of(bytes, model.labels);
      break;
    case InferTask::kClassification:
      for (ResultObject& object : detections_of(bytes, model.labels)) {
        results.classifications.push_back({std::move(object.label), object.class_id, object.score});
      }
      break;
    case InferTask::kLandmarks:
      add_landmarks(bytes, model, threshold, results);
      break;
    default:
      break;
  }
  return results;
}

namespace {

class InferProcessor : public ModelProcessor {
 public:
  // `tensors` is null if they are not to be attached. `model` belongs to `loaded`.
  InferProcessor(const GlTarget& target, GstElement* element, const RunSettings& at_start,
                 const InferSettings& settings, std::shared_ptr<const LoadedModel> loaded, const InferModel& model,
                 std::unique_ptr<Inferencer> inferencer, std::unique_ptr<TensorAttachment> tensors)
      : ModelProcessor(target, *inferencer, at_start),
        settings_(settings),
        loaded_(std::move(loaded)),
        model_(model),
        inferencer_(std::move(inferencer)),
        tensors_(std::move(tensors)),
        results_(element, target.group, [this](std::span<const std::byte> bytes) {
          return infer_results(model_, bytes, settings_.look.threshold);
        }) {}

  Status process(FrameJob& job) override {
    set_look();
    return ModelProcessor::process(job);
  }
  ResultsReadback* results() override { return &results_; }

 private:
  RunSettings run_settings() const override { return settings_.run; }
  void set_look() {
    InferLook look = settings_.look;
    look.blendshapes = settings_.results.mode != ResultsMode::kNone;
    look.max_results = settings_.max_results.value_or(model_.in_region ? 1 : InferSettings::kUsualResults);
    inferencer_->set_look(look, settings_.fit.value_or(model_.letterbox ? Fit::kLetterbox : Fit::kStretch));
  }
  Status resize_model(const FrameSize& size) override {
    set_look();
    inferencer_->resize(size);
    return {};
  }
  Status attach(const FrameJob& job) override {
    return tensors_ ? tensors_->attach(job.output_buffer, *inferencer_) : Status();
  }
  BufferRange found() const override { return inferencer_->results(); }
  ResultsMode results_mode() const override { return settings_.results.mode; }

  const InferSettings& settings_;  // owned by the runtime, which outlives this
  const std::shared_ptr<const LoadedModel> loaded_;
  const InferModel& model_;
  const std::unique_ptr<Inferencer> inferencer_;
  const std::unique_ptr<TensorAttachment> tensors_;
  ResultsReadback results_;
};

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
      model.in_region) {
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

Status check_drawing(const InferSettings& settings, const InferModel& model) {
  if (settings.task != InferTask::kAuto || model.task != InferTask::kTensors || !settings.look.draw ||
      settings.attach_tensors) {
    return {};
  }
  return unsupported("draw=true: has no effect: cannot determine the task of " + model.model->name() +
                     " from its outputs, " + list(model.model->outputs()) +
                     "; set task, or attach-tensors=true to decode them in the application");
}

}  // namespace

// A model, and optionally the detector that finds its region.
class InferModels : public LoadedModel {
 public:
  InferModels(GstElement* element, const InferSettings& loaded_with, const InferSettings& current)
      : element_(element), settings_(loaded_with), current_(current) {}

  Status load(const std::string& path, const ModelSettings& settings);
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const override;
  std::vector<std::string> warnings() const override;
  const InferModel& infer() const { return *model_; }

 private:
  Result<InferModel> describe(const SharedModel& model, const ModelSettings& settings) const;
  Status check_detector(const InferModel& model, const ModelSettings& settings) const;
  Status find_detector(const TaskModels& bundle);
  Status load_detector(const ModelSettings& settings);
  Status load_blendshapes(const std::string& path, const ModelSettings& settings);

  GstElement* const element_;
  const InferSettings settings_;
  const InferSettings& current_;                      // owned by the runtime, which outlives this
  std::string detector_path_, bundle_warning_;        // empty: none
  DescribedModel<InferModel> model_, detector_;       // the second one only if there is a detector
  DescribedModel<BlendshapeModel> blendshapes_;       // only from a bundle, with a detector
  std::vector<std::vector<std::byte>> extra_inputs_;  // by input, from the second one on; empty: zeros
};

Status InferModels::load(const std::string& path, const ModelSettings& settings) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskModels bundle, task_models(path, "glinfer"));
  bundle_warning_ = bundle.warning;
  SIGHTGLASS_RETURN_IF_ERROR(find_detector(bundle));
  const auto describe = [&](const SharedModel& model) { return this->describe(model, settings); };
  const auto load_as = [&](ImageOrder order) {
    return DescribedModel<InferModel>::load(bundle.model, settings, describe, order);
  };
  // Applications get outputs in the order of the file, except for images.
  const bool wants_picture = settings_.task == InferTask::kPicture;
  SIGHTGLASS_ASSIGN_OR_RETURN(model_, load_as(wants_picture ? ImageOrder::kArranged : ImageOrder::kArrangedInputs));
  if (settings_.task == InferTask::kAuto && model_->task == InferTask::kTensors) {
    Result<DescribedModel<InferModel>> arranged = load_as(ImageOrder::kArranged);
    if (arranged.ok() && (*arranged)->task == InferTask::kPicture) model_ = std::move(arranged).value();
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(extra_inputs_, load_extra_inputs(settings_.extra_inputs.value_or(""), *model_->model));
  SIGHTGLASS_RETURN_IF_ERROR(load_detector(settings));
  return load_blendshapes(bundle.blendshapes, settings);
}

// An explicit detector has priority over the one in the bundle.
Status InferModels::find_detector(const TaskModels& bundle) {
  detector_path_ = bundle.detector;
  if (settings_.detector.value_or("").empty()) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(*settings_.detector));
  SIGHTGLASS_ASSIGN_OR_RETURN(detector_path_, task_detector(path));
  return {};
}

// Always with 32 bits: 16 bits would round landmarks, which are in pixels, to half a pixel.
Status InferModels::load_blendshapes(const std::string& path, const ModelSettings& settings) {
  if (path.empty() || !model_->in_region || model_->points.count != kMaxLandmarks) return {};
  ModelSettings exact = settings;
  exact.precision = Precision::kFp32;
  exact.input_size.reset();
  const auto describe = [](const SharedModel& model) { return describe_blendshape_model(model.model()); };
  SIGHTGLASS_ASSIGN_OR_RETURN(blendshapes_,
                              DescribedModel<BlendshapeModel>::load(path, exact, describe, ImageOrder::kAsInFile));
  return {};
}

Result<InferModel> InferModels::describe(const SharedModel& model, const ModelSettings& settings) const {
  InferModelOptions options;
  options.task = settings_.task;
  options.labels_file = settings_.labels.value_or("");
  options.normalization = settings.normalization();
  if (settings_.output_scale) options.output_scale = static_cast<float>(*settings_.output_scale);
  if (settings_.output_offset) options.output_offset = static_cast<float>(*settings_.output_offset);
  SIGHTGLASS_ASSIGN_OR_RETURN(InferModel infer, describe_infer_model(model.model(), model.known(), options));
  infer.own_size = settings_.output_size == OutputSize::kModel;
  if (infer.own_size && infer.task != InferTask::kPicture) {
    return invalid_argument("output-size=model: needs a model that outputs an image: " + decoded_as(infer) +
                            "; set output-size=frame");
  }
  GST_DEBUG_OBJECT(log_object(), "%s: decoded as %s, input of %dx%d, %" G_GSIZE_FORMAT " labels",
                   model.model()->name().c_str(), to_string(infer.task), infer.width, infer.height,
                   infer.labels.size());
  infer.in_region = !detector_path_.empty();
  SIGHTGLASS_RETURN_IF_ERROR(check_detector(infer, settings));
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

// Loads the detector that finds the region for a landmark model.
Status InferModels::load_detector(const ModelSettings& settings) {
  if (!model_->in_region) return {};
  const auto describe = [](const SharedModel& model) {
    InferModelOptions options;
    options.task = InferTask::kDetection;
    return describe_infer_model(model.model(), model.known(), options);
  };
  ModelSettings own = settings;
  own.input_size.reset();
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
  for (const Status& status :
       {check_max_results(settings_, *model_), check_results(settings_, *model_), check_drawing(settings_, *model_)}) {
    if (!status.ok()) warnings.push_back(status.message());
  }
  const bool has_labels = model_->task == InferTask::kClassification || model_->task == InferTask::kDetection;
  if (!has_labels || !settings_.look.draw) return warnings;
  if (auto missing = missing_font_warning("draw=true")) warnings.push_back(std::move(*missing));
  return warnings;
}

Result<std::unique_ptr<FrameProcessor>> InferModels::create(const GlTarget& target) const {
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
                              Inferencer::create(target.group, target.device, std::move(plan), *model_, target.frame,
                                                 detector, std::move(blendshapes)));
  for (size_t i = 0; i < extra_inputs_.size(); ++i) {
    SIGHTGLASS_RETURN_IF_ERROR(inferencer->write_input(i + 1, extra_inputs_[i]));
  }
  std::unique_ptr<TensorAttachment> tensors;
  if (settings_.attach_tensors) {
    SIGHTGLASS_ASSIGN_OR_RETURN(tensors, TensorAttachment::create(target.context, target.group, *model_->model));
  }
  return std::make_unique<InferProcessor>(target, element_, settings_.run, current_, shared_from_this(), *model_,
                                          std::move(inferencer), std::move(tensors));
}

Status InferRuntime::set_own_property(guint id, const GValue* value) {
  const std::optional<Fit> fit = settings_.fit;
  SIGHTGLASS_RETURN_IF_ERROR(infer_properties().set(settings_, id, value));
  // The fit affects the caps of output frames of the model's size; own_size() waits for the new value.
  if (settings_.fit != fit) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(element_));
  return {};
}

bool InferRuntime::get_own_property(guint id, GValue* value) const {
  return infer_properties().get(settings_, id, value);
}

InferSettings InferRuntime::snapshot() const {
  const std::lock_guard lock(settings_mutex());
  return settings_;
}

std::optional<OwnSize> InferRuntime::own_size() const {
  const std::lock_guard lock(settings_mutex());
  if (!is_loaded_) return settings_.output_size == OutputSize::kModel ? std::optional(OwnSize()) : std::nullopt;
  if (!own_size_) return {};
  OwnSize size = *own_size_;
  // Image models process the whole frame, unless `fit` keeps the proportions of its pixels.
  if (settings_.fit.value_or(Fit::kStretch) == Fit::kStretch) size.seen_width = size.seen_height = 0;
  return size;
}

ResultsPolicy InferRuntime::results_policy() const {
  const InferSettings settings = snapshot();
  return results_policy_of(settings.results, settings.run.mask_sync);
}

Status InferRuntime::before_frame() {
  current_ = snapshot();
  const InferModel& model = model_->infer();
  // Posts each warning once, and one at a time.
  if (Status status = check_max_results(current_, model); !status.ok() && !std::exchange(told_of_max_results_, true)) {
    return status;
  }
  if (Status status = check_results(current_, model); !status.ok() && !std::exchange(told_of_results_, true)) {
    return status;
  }
  return {};
}

Status InferRuntime::begin() {
  loaded_with_ = current_ = snapshot();
  return {};
}

Result<std::shared_ptr<const LoadedModel>> InferRuntime::load(const ModelSettings& settings) const {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, model_file(settings, "TFLite"));
  const auto models = std::make_shared<InferModels>(element_, loaded_with_, current_);
  SIGHTGLASS_RETURN_IF_ERROR(models->load(file, settings));
  return std::shared_ptr<const LoadedModel>(models);
}

void InferRuntime::adopt(const std::shared_ptr<const LoadedModel>& model) {
  model_ = std::static_pointer_cast<const InferModels>(model);
  told_of_max_results_ = model_ != nullptr && !check_max_results(loaded_with_, model_->infer()).ok();
  told_of_results_ = model_ != nullptr && !check_results(loaded_with_, model_->infer()).ok();
  const std::lock_guard lock(settings_mutex());
  is_loaded_ = model_ != nullptr;
  own_size_.reset();
  if (model_ == nullptr) return;
  const InferModel& infer = model_->infer();
  if (infer.own_size) own_size_ = {infer.picture_width, infer.picture_height, infer.width, infer.height};
}

}  // namespace sightglass

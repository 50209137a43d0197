#include "pose/pose_runtime.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "element/frame_processor.h"
#include "element/model_processor.h"
#include "element/run_settings.h"
#include "element/shared_model.h"
#include "gobject/log.h"
#include "meta/persons.h"
#include "model_store.h"
#include "pose/person_finder.h"
#include "results/delivery.h"
#include "results/readback.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

namespace {

using S = PoseSettings;

template <typename T>
auto look(T PoseLook::*member) {
  return within(&S::look, member);
}

template <typename T>
auto style(T SkeletonStyle::*member) {
  return within(&S::look, &PoseLook::style, member);
}

Status set_person_threshold(S& settings, float score) {
  settings.person_threshold = score;
  settings.look.person_score.reset();
  if (score >= 0) settings.look.person_score = score;
  return {};
}

}  // namespace

const PropertyTable<PoseSettings>& pose_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::text("detector", "Detector", &S::detector, kAtStart,
                    "Path or name of the person detector for a BlazePose landmark model (NULL = from the bundle or "
                    "directory of the model, otherwise blazepose-detector)"),
          row::flag("attach-mask", "Attach mask", &S::attach_mask, kAtStart,
                    "Whether to attach the BlazePose mask to each buffer as SightglassMaskMeta (also "
                    "GstAnalyticsSegmentationMtd with GStreamer 1.26)"),
          row::number("max-persons", "Maximum persons", look(&PoseLook::max_persons), 1, kMaxPersons, kLive,
                      "Maximum number of people to find (single-person MoveNet and heatmap models find one)"),
          row::number("person-threshold", "Person threshold", set_by(&S::person_threshold, set_person_threshold),
                      S::kUnsetScore, 1, kLive,
                      "Minimum score of a person, 0 to 1 (-1 = model default: 0.5 for BlazePose, 0.2 for others)"),
          row::number("visibility-threshold", "Visibility threshold", style(&SkeletonStyle::visibility), 0, 1, kLive,
                      "Minimum visibility for a keypoint to be drawn and count for the box of its person"),
          row::number("presence-threshold", "Presence threshold", style(&SkeletonStyle::presence), 0, 1, kLive,
                      "Minimum presence in the frame for a keypoint to be drawn and count for the box of its person"),
          row::flag("smoothing", "Smoothing", look(&PoseLook::smoothing), kLive,
                    "Whether to smooth keypoints over time with a One-Euro filter"),
          row::number("min-cutoff", "Minimum cutoff", look(&PoseLook::min_cutoff), 0.001F, 1000, kLive,
                      "Cutoff frequency of smoothing in Hz for keypoints at rest; lower values jitter less and lag "
                      "more"),
          row::number("beta", "Beta", look(&PoseLook::beta), 0, 10000, kLive,
                      "Increase of the cutoff frequency with speed in Hz per person size per second; higher values lag "
                      "less"),
          row::flag("draw", "Draw", look(&PoseLook::draw), kLive, "Whether to draw skeletons over the frame"),
          row::number("line-width", "Line width", style(&SkeletonStyle::line_width), 0, 200, kLive,
                      "Width of skeleton lines in frame pixels (0 = none)"),
          row::number("point-radius", "Point radius", style(&SkeletonStyle::point_radius), 0, 200, kLive,
                      "Radius of skeleton points in frame pixels (0 = none)"),
          row::color("line-color", "Line color", style(&SkeletonStyle::line_color), kLive,
                     "Color of skeleton lines, ARGB (big-endian, not premultiplied)"),
          row::color("point-color", "Point color", style(&SkeletonStyle::point_color), kLive,
                     "Color of skeleton points, ARGB (big-endian, not premultiplied)"),
      },
      run_properties(&S::run), failure_properties(&S::run), results_properties(&S::results));
  return *table;
}

namespace {

// File names of published BlazePose detectors, and the catalog name of a downloaded one.
constexpr const char* kDetectorFiles[] = {"pose_detection.tflite", "blazepose_detection_224.tflite"};
constexpr const char* kDetectorName = "blazepose-detector";

// The time between frames, for the filters. A frame with an earlier time is unrelated to the previous one.
class FrameClock {
 public:
  float seconds_to(GstClockTime time) {
    constexpr float kUsual = 1.0F / 30;
    if (!GST_CLOCK_TIME_IS_VALID(time)) return kUsual;
    const GstClockTime before = std::exchange(before_, time);
    if (!GST_CLOCK_TIME_IS_VALID(before) || time <= before) return -1;
    // Rounded to 0.1 ms, so that frames at a constant rate have equal distances, which avoids uploads.
    constexpr double kTick = 1e-4;
    return static_cast<float>(std::max(std::round(static_cast<double>(time - before) / 1e9 / kTick), 1.0) * kTick);
  }

 private:
  GstClockTime before_ = GST_CLOCK_TIME_NONE;
};

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

class PoseProcessor : public ModelProcessor {
 public:
  // `model` belongs to `loaded`.
  PoseProcessor(const GlTarget& target, GstElement* element, const RunSettings& at_start, const PoseSettings& settings,
                std::shared_ptr<const LoadedModel> loaded, const PoseModel& model,
                std::unique_ptr<PoseEstimator> estimator)
      : ModelProcessor(target, *estimator, at_start),
        settings_(settings),
        loaded_(std::move(loaded)),
        estimator_(std::move(estimator)),
        attaches_masks_(model.has(PoseModel::kMask)),
        results_(element, target.group, [&model, log = PeopleLog(element)](std::span<const std::byte> bytes) mutable {
          const std::string name = model_title(model.model->name());
          InferenceResults results{name, {}, persons_of(bytes, *model.skeleton), {}};
          log.note(results.objects);
          return results;
        }) {}

  void forget() override {
    clock_ = {};
    ModelProcessor::forget();
  }
  Status process(FrameJob& job) override;
  ResultsReadback* results() override { return &results_; }
  using ModelProcessor::prepare_masks;

 private:
  RunSettings run_settings() const override { return settings_.run; }
  Status resize_model(const FrameSize& size) override { return estimator_->resize(size); }
  std::optional<ShownMask> mask() const override {
    return attaches_masks_ ? std::optional(ShownMask{estimator_->mask(), {}}) : std::nullopt;
  }
  BufferRange found() const override { return estimator_->persons(); }
  ResultsMode results_mode() const override { return settings_.results.mode; }

  const PoseSettings& settings_;  // owned by the runtime, which outlives this
  const std::shared_ptr<const LoadedModel> loaded_;
  const std::unique_ptr<PoseEstimator> estimator_;
  const bool attaches_masks_;  // the model outputs masks only if requested
  ResultsReadback results_;
  FrameClock clock_;
};

Status PoseProcessor::process(FrameJob& job) {
  const float seconds = clock_.seconds_to(GST_BUFFER_PTS(job.input));
  if (seconds < 0) ModelProcessor::forget();
  estimator_->pass_time(std::max(seconds, 0.0F));
  estimator_->set_look(settings_.look);
  return ModelProcessor::process(job);
}

class PoseModels : public LoadedModel {
 public:
  PoseModels(GstElement* element, const PoseSettings& loaded_with, const PoseSettings& current)
      : element_(element), settings_(loaded_with), current_(current) {}

  Status load(const std::string& path, const ModelSettings& settings);
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const override;
  std::vector<std::string> warnings() const override;

 private:
  GstElement* const element_;
  const PoseSettings settings_;
  const PoseSettings& current_;                 // owned by the runtime, which outlives this
  DescribedModel<PoseModel> model_, detector_;  // the second one only for BlazePose
  std::string bundle_warning_;
};

}  // namespace

Status PoseRuntime::set_own_property(guint id, const GValue* value) {
  return pose_properties().set(settings_, id, value);
}

bool PoseRuntime::get_own_property(guint id, GValue* value) const {
  return pose_properties().get(settings_, id, value);
}

PoseSettings PoseRuntime::snapshot() const {
  const std::lock_guard lock(settings_mutex());
  return settings_;
}

ResultsPolicy PoseRuntime::results_policy() const {
  const PoseSettings settings = snapshot();
  return results_policy_of(settings.results, settings.run.mask_sync);
}

Status PoseRuntime::before_frame() {
  current_ = snapshot();
  return {};
}

namespace {

Result<DescribedModel<PoseModel>> load_model(const std::string& file, const ModelSettings& settings, bool mask) {
  return DescribedModel<PoseModel>::load(file, settings, [&](const SharedModel& model) -> Result<PoseModel> {
    const PoseModelOptions options{.known = model.known(), .normalization = settings.normalization(), .mask = mask};
    SIGHTGLASS_ASSIGN_OR_RETURN(PoseModel pose, describe_pose_model(model.model(), options));
    GST_DEBUG_OBJECT(log_object(), "%s: %s, input of %dx%d", file.c_str(), to_string(pose.kind), pose.width,
                     pose.height);
    return pose;
  });
}

// The file of the detector for the landmark model in `file`. `bundled` is the one in the same bundle, if any.
Result<std::string> detector_file(const std::string& wanted, const std::string& bundled, const std::string& file) {
  if (!wanted.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(wanted));
    return task_detector(path);
  }
  if (!bundled.empty()) return bundled;
  for (const char* name : kDetectorFiles) {
    const std::filesystem::path beside = std::filesystem::path(file).parent_path() / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(beside, error)) {
      GST_DEBUG_OBJECT(log_object(), "detector: %s, in the directory of the model", beside.c_str());
      return beside.string();
    }
    GST_DEBUG_OBJECT(log_object(), "detector: %s not in the directory of the model", name);
  }
  Result<std::string> stored = ModelStore().resolve(kDetectorName);
  if (stored.ok()) {
    GST_DEBUG_OBJECT(log_object(), "detector: %s, a stored model", stored->c_str());
    return stored;
  }
  return not_found(file + ": this landmark model needs a person detector; set detector=FILE.tflite, or put " +
                   kDetectorFiles[0] + " into the directory of the model: " + stored.status().message());
}

}  // namespace

Status PoseRuntime::begin() {
  loaded_with_ = current_ = snapshot();
  return {};
}

Result<std::shared_ptr<const LoadedModel>> PoseRuntime::load(const ModelSettings& settings) const {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, model_file(settings, "pose"));
  const auto models = std::make_shared<PoseModels>(element_, loaded_with_, current_);
  SIGHTGLASS_RETURN_IF_ERROR(models->load(file, settings));
  return std::shared_ptr<const LoadedModel>(models);
}

Status PoseModels::load(const std::string& path, const ModelSettings& settings) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskModels bundle, task_models(path, "glpose"));
  const std::string& file = bundle.model;
  bundle_warning_ = bundle.warning;
  SIGHTGLASS_ASSIGN_OR_RETURN(DescribedModel<PoseModel> model, load_model(file, settings, settings_.attach_mask));
  if (model->kind == PoseKind::kBlazePoseDetection) {
    return unsupported(
        file +
        ": this is a BlazePose detector, the first of two stages; set detector to it, and model to a landmark "
        "model");
  }
  if (settings_.attach_mask && !model->has(PoseModel::kMask)) {
    return invalid_argument(file + ": attach-mask=true needs a model with a mask output, but this is " +
                            to_string(model->kind) + "; set model to a BlazePose landmark model");
  }
  if (model->kind == PoseKind::kBlazePose) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string first,
                                detector_file(settings_.detector.value_or(""), bundle.detector, file));
    ModelSettings own = settings;
    own.input_size.reset();
    SIGHTGLASS_ASSIGN_OR_RETURN(detector_, load_model(first, own, false));
    if (detector_->kind != PoseKind::kBlazePoseDetection) {
      return unsupported(first + ": this is " + to_string(detector_->kind) +
                         "; set detector to a BlazePose detector (1x2254x12 and 1x2254x1)");
    }
  }
  model_ = std::move(model);
  return {};
}

std::vector<std::string> PoseModels::warnings() const {
  std::vector<std::string> warnings;
  for (const auto* loaded : {&model_, &detector_}) loaded->add_warnings(warnings);
  if (!bundle_warning_.empty()) warnings.push_back(bundle_warning_);
  return warnings;
}

Result<std::unique_ptr<FrameProcessor>> PoseModels::create(const GlTarget& target) const {
  const FrameKind read = PoseEstimator::planned_kind(target.device, model_->kind, target.frame);
  const bool in_regions = model_->kind == PoseKind::kBlazePose;
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                              model_.plan(target, in_regions ? FrameKind::kRgba : read));
  std::unique_ptr<PersonFinder> finder;
  if (in_regions) {
    SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> detector, detector_.plan(target, FrameKind::kRgba));
    SIGHTGLASS_ASSIGN_OR_RETURN(
        finder, make_blazepose_finder(target.group, {*detector_, *model_, std::move(detector), std::move(plan)}, read));
  } else {
    SIGHTGLASS_ASSIGN_OR_RETURN(finder, make_one_stage_finder(target.group, *model_, std::move(plan)));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(
      std::unique_ptr<PoseEstimator> estimator,
      PoseEstimator::create(target.group, target.device, *model_, std::move(finder), target.frame));
  const TextureRef mask = estimator->mask();
  auto processor = std::make_unique<PoseProcessor>(target, element_, settings_.run, current_, shared_from_this(),
                                                   *model_, std::move(estimator));
  if (mask.id != 0) SIGHTGLASS_RETURN_IF_ERROR(processor->prepare_masks(mask));
  return processor;
}

}  // namespace sightglass

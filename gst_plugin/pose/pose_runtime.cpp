#include "pose/pose_runtime.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/described_model.h"
#include "meta/mask_attachment.h"
#include "meta/persons.h"
#include "model_store.h"
#include "pose/blazepose_finder.h"
#include "results/decode.h"
#include "results/sender.h"

namespace sightglass {

namespace {

// Names under which detectors of BlazePose are published; the last one is that of a stored model.
constexpr const char* kDetectorFiles[] = {"pose_detection.tflite", "blazepose_detection_224.tflite"};
constexpr const char* kDetectorName = "blazepose-detector";

// The time from one frame to the next, for the filters. Frames whose times go back have nothing to do with each other.
class FrameClock {
 public:
  float seconds_to(GstClockTime time) {
    constexpr float kUsual = 1.0F / 30;
    if (!GST_CLOCK_TIME_IS_VALID(time)) return kUsual;
    const GstClockTime before = std::exchange(before_, time);
    if (!GST_CLOCK_TIME_IS_VALID(before) || time <= before) return -1;
    // In tenths of milliseconds: frames of a steady rate are equally far apart, and nothing is uploaded.
    constexpr double kTick = 1e-4;
    return static_cast<float>(std::max(std::round(static_cast<double>(time - before) / 1e9 / kTick), 1.0) * kTick);
  }

 private:
  GstClockTime before_ = GST_CLOCK_TIME_NONE;
};

class PoseProcessor : public FrameProcessor {
 public:
  // `masks` may be null: nobody wants them then. `model` is of `loaded`.
  PoseProcessor(GstElement* element, const PoseSettings& settings, std::shared_ptr<const LoadedModel> loaded,
                const PoseModel& model, std::shared_ptr<ShareGroup> group, std::unique_ptr<PoseEstimator> estimator,
                std::unique_ptr<MaskAttachment> masks)
      : settings_(settings),
        loaded_(std::move(loaded)),
        estimator_(std::move(estimator)),
        masks_(std::move(masks)),
        results_(element, std::move(group), [&model](std::span<const std::byte> bytes) {
          const std::string name = std::filesystem::path(model.model->name()).stem();
          return InferenceResults{name, {}, persons_of(bytes, *model.skeleton), {}};
        }) {}

  Status resize(int32_t width, int32_t height) override {
    width_ = width;
    height_ = height;
    forget();
    return estimator_->resize(width, height);
  }
  void forget() override {
    clock_ = {};
    forget_persons();
  }
  Status process(FrameJob& job) override;
  Status annotate(FrameJob& job) override;
  Status finish(FrameJob& job) override;
  ResultsSender* results() override { return &results_; }
  uint64_t inferences() const override { return inferences_; }
  std::optional<GpuTime> poll_time() override { return times_.add(estimator_->poll_time()); }

 private:
  void forget_persons() {
    since_run_ = 0;
    seconds_ = 0;
    estimator_->forget();
  }

  const PoseSettings& settings_;  // the runtime's, which lives longer
  const std::shared_ptr<const LoadedModel> loaded_;
  std::unique_ptr<PoseEstimator> estimator_;
  std::unique_ptr<MaskAttachment> masks_;
  ResultsSender results_;
  FrameClock clock_;
  uint32_t since_run_ = 0;  // frames, with the one that persons were looked for in; 0: there is none
  float seconds_ = 0;       // from that one to the frame under way
  bool ran_ = false;        // on the frame under way
  int32_t width_ = 0, height_ = 0;
  uint64_t inferences_ = 0;
  GpuTimes times_;
};

Status PoseProcessor::process(FrameJob& job) {
  const float seconds = clock_.seconds_to(GST_BUFFER_PTS(job.input));
  if (seconds < 0) forget_persons();
  seconds_ += std::max(seconds, 0.0F);
  ran_ = since_run_ == 0 || since_run_ >= settings_.inference_interval;
  since_run_ = ran_ ? 1 : since_run_ + 1;
  inferences_ += ran_ ? 1 : 0;
  const std::optional<float> since = ran_ ? std::optional(std::exchange(seconds_, 0.0F)) : std::nullopt;
  Status status = estimator_->process(job.frame, job.upright_to_stored, job.output, settings_.look, since);
  if (!status.ok()) since_run_ = 0;
  return status;
}

Status PoseProcessor::annotate(FrameJob& job) {
  if (masks_ == nullptr) return {};
  constexpr float kThreshold = 0.5F;
  return masks_->attach(job.output_buffer, width_, height_, estimator_->mask(), {}, kThreshold);
}

Status PoseProcessor::finish(FrameJob& job) {
  if (!ran_) return {};
  job.awaits_results =
      results_.request(job.input, job.number, width_, height_, estimator_->persons(), settings_.results.mode);
  return {};
}

class PoseModels : public LoadedModel {
 public:
  PoseModels(GstElement* element, const PoseSettings& loaded_with, const PoseSettings& current)
      : element_(element), settings_(loaded_with), current_(current) {}

  Status load(const std::string& file, const ModelSettings& settings);
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const override;
  std::vector<std::string> warnings() const override;

 private:
  GstElement* const element_;
  const PoseSettings settings_;
  const PoseSettings& current_;                 // the runtime's, which lives longer
  DescribedModel<PoseModel> model_, detector_;  // the second one for BlazePose
};

}  // namespace

bool PoseRuntime::set_own_property(guint id, const GValue* value) { return set_pose_property(settings_, id, value); }

bool PoseRuntime::get_own_property(guint id, GValue* value) const { return get_pose_property(settings_, id, value); }

PoseSettings PoseRuntime::snapshot() const {
  const std::lock_guard lock(settings_mutex());
  return settings_;
}

ResultsPolicy PoseRuntime::results_policy() const { return snapshot().results; }

Status PoseRuntime::before_frame() {
  current_ = snapshot();
  return {};
}

namespace {

Result<DescribedModel<PoseModel>> load_model(const std::string& file, const ModelSettings& settings, bool mask) {
  return DescribedModel<PoseModel>::load(file, settings, [&](const SharedModel& model) {
    return describe_pose_model(model.model(),
                               {.known = model.known(), .normalisation = settings.normalisation(), .mask = mask});
  });
}

// The detector for landmarks in `file`.
Result<std::string> detector_file(const std::string& wanted, const std::string& file) {
  if (!wanted.empty()) return ModelStore().resolve(wanted);
  for (const char* name : kDetectorFiles) {
    const std::filesystem::path beside = std::filesystem::path(file).parent_path() / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(beside, error)) return beside.string();
  }
  Result<std::string> stored = ModelStore().resolve(kDetectorName);
  if (stored.ok()) return stored;
  return not_found(file +
                   " finds landmarks of persons that another model has found: set detector=FILE.tflite, or have " +
                   kDetectorFiles[0] + " beside it; " + stored.status().message());
}

}  // namespace

Status PoseRuntime::begin() {
  loaded_with_ = current_ = snapshot();
  return {};
}

Result<std::shared_ptr<const LoadedModel>> PoseRuntime::load(const ModelSettings& settings) const {
  SG_ASSIGN_OR_RETURN(const std::string file, model_file(settings, "pose"));
  const auto models = std::make_shared<PoseModels>(element_, loaded_with_, current_);
  SG_RETURN_IF_ERROR(models->load(file, settings));
  return std::shared_ptr<const LoadedModel>(models);
}

Status PoseModels::load(const std::string& file, const ModelSettings& settings) {
  SG_ASSIGN_OR_RETURN(DescribedModel<PoseModel> model, load_model(file, settings, settings_.attach_mask));
  if (model->kind == PoseKind::kBlazePoseDetection) {
    return unsupported(
        file +
        ": this is the detector, the first of BlazePose's two stages; set it as detector, and a model of "
        "landmarks as model");
  }
  if (settings_.attach_mask && !model->has(PoseModel::kMask)) {
    return invalid_argument(file + ": attach-mask=true needs a model that gives a mask, as BlazePose's do; this is " +
                            to_string(model->kind));
  }
  if (model->kind == PoseKind::kBlazePose) {
    SG_ASSIGN_OR_RETURN(const std::string first, detector_file(settings_.detector.value_or(""), file));
    SG_ASSIGN_OR_RETURN(detector_, load_model(first, settings, false));
    if (detector_->kind != PoseKind::kBlazePoseDetection) {
      return unsupported(first + ": detector needs a BlazePose detector (1x2254x12 and 1x2254x1); this is " +
                         to_string(detector_->kind));
    }
  }
  model_ = std::move(model);
  return {};
}

std::vector<std::string> PoseModels::warnings() const {
  std::vector<std::string> warnings;
  for (const auto* loaded : {&model_, &detector_}) loaded->add_warnings(warnings);
  return warnings;
}

Result<std::unique_ptr<FrameProcessor>> PoseModels::create(const GlTarget& target) const {
  const FrameKind read = PoseEstimator::planned_kind(target.device, target.frame);
  SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, model_.plan(target, read));
  std::unique_ptr<PersonFinder> finder;
  if (model_->kind == PoseKind::kBlazePose) {
    SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> detector, detector_.plan(target, read));
    SG_ASSIGN_OR_RETURN(
        finder, make_blazepose_finder(target.group, {*detector_, *model_, std::move(detector), std::move(plan)}));
  } else {
    SG_ASSIGN_OR_RETURN(finder, make_one_stage_finder(target.group, *model_, std::move(plan)));
  }
  SG_ASSIGN_OR_RETURN(std::unique_ptr<PoseEstimator> estimator,
                      PoseEstimator::create(target.group, target.device, *model_, std::move(finder), target.frame));
  std::unique_ptr<MaskAttachment> masks;
  if (settings_.attach_mask) {
    const TextureRef mask = estimator->mask();
    SG_ASSIGN_OR_RETURN(masks, MaskAttachment::create(target.context, target.group, mask.width, mask.height));
  }
  return std::unique_ptr<FrameProcessor>(std::make_unique<PoseProcessor>(
      element_, current_, shared_from_this(), *model_, target.group, std::move(estimator), std::move(masks)));
}

}  // namespace sightglass

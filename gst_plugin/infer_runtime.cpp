#include "infer_runtime.h"

#include <gst/base/gstbasetransform.h>

#include <fstream>
#include <optional>
#include <utility>

#include "infer/infer_results.h"
#include "infer/inferencer.h"
#include "model_store.h"
#include "results/sender.h"
#include "tensor_attachment.h"

namespace sightglass {

namespace {

class InferProcessor : public FrameProcessor {
 public:
  // `tensors` may be null: nobody wants them then.
  InferProcessor(GstElement* element, const InferSettings& settings, const InferModel& model,
                 std::shared_ptr<ShareGroup> group, std::unique_ptr<Inferencer> inferencer,
                 std::unique_ptr<TensorAttachment> tensors)
      : settings_(settings),
        model_(model),
        inferencer_(std::move(inferencer)),
        tensors_(std::move(tensors)),
        results_(element, std::move(group), [this](std::span<const std::byte> bytes) {
          return infer_results(model_, bytes, settings_.look.threshold);
        }) {}

  Status resize(int32_t width, int32_t height) override {
    width_ = width;
    height_ = height;
    forget();
    inferencer_->resize(width, height);
    return {};
  }
  void forget() override {
    since_run_ = 0;
    inferencer_->forget();
    results_.forget();
  }
  Status process(FrameJob& job) override;
  Status annotate(FrameJob& job) override;
  Status finish(FrameJob& job) override {
    if (ran_) results_.request(job.input, inferencer_->results());
    return {};
  }
  void end_of_stream() override { results_.finish(); }
  uint64_t inferences() const override { return inferencer_->inferences(); }
  std::optional<GpuTime> poll_time() override { return times_.add(inferencer_->poll_time()); }

 private:
  const InferSettings& settings_;  // the runtime's, which lives longer, like the next one
  const InferModel& model_;
  std::unique_ptr<Inferencer> inferencer_;
  std::unique_ptr<TensorAttachment> tensors_;
  ResultsSender results_;
  int32_t width_ = 0, height_ = 0;  // of upright frames
  uint32_t since_run_ = 0;          // frames, with the one that the model ran on; 0: it has not run
  bool ran_ = false;                // on the frame under way
  GpuTimes times_;
};

Status InferProcessor::process(FrameJob& job) {
  ran_ = since_run_ == 0 || since_run_ >= settings_.inference_interval;
  since_run_ = ran_ ? 1 : since_run_ + 1;
  const Fit fit = settings_.fit.value_or(model_.letterbox ? Fit::kLetterbox : Fit::kStretch);
  const Status status = inferencer_->process(job.frame, job.upright_to_stored, job.output, fit, settings_.look, ran_);
  if (!status.ok()) since_run_ = 0;
  return status;
}

Status InferProcessor::annotate(FrameJob& job) {
  if (tensors_) SG_RETURN_IF_ERROR(tensors_->attach(job.output_buffer, *inferencer_, ran_));
  const BufferRange found = inferencer_->results();
  if (found.buffer == 0) return {};  // a picture is its own result
  return results_.deliver(job.output_buffer, settings_.results, found.size, width_, height_);
}

// Contents for the inputs behind the first one.
Result<std::vector<std::vector<std::byte>>> load_extra_inputs(const std::string& path, const Model& model) {
  std::vector<std::vector<std::byte>> contents;
  if (path.empty()) return contents;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return not_found("extra-inputs=" + path + ": the file cannot be read");
  const auto size = static_cast<int64_t>(file.tellg());
  file.seekg(0);
  int64_t expected = 0;
  for (size_t i = 1; i < model.inputs().size(); ++i) {
    const TensorInfo& input = model.inputs()[i];
    contents.emplace_back(static_cast<size_t>(input.shape.elements()) * size_of(input.type));
    expected += static_cast<int64_t>(contents.back().size());
  }
  if (contents.empty()) {
    return invalid_argument("extra-inputs=" + path + ": " + model.name() + " has no input besides the picture");
  }
  if (size != expected) {
    return invalid_argument("extra-inputs=" + path + ": the file has " + std::to_string(size) + " bytes, not the " +
                            std::to_string(expected) + " that the inputs besides the picture take; the inputs are " +
                            list(model.inputs()));
  }
  for (std::vector<std::byte>& content : contents) {
    file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
  }
  if (!file) return not_found("extra-inputs=" + path + ": the file cannot be read");
  return contents;
}

}  // namespace

bool InferRuntime::set_own_property(guint id, const GValue* value) {
  // What pictures of the model's own size show of the frame; own_size() waits for the new value.
  if (id == kInferFit) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(element_));
  return set_infer_property(settings_, id, value);
}

bool InferRuntime::get_own_property(guint id, GValue* value) const { return get_infer_property(settings_, id, value); }

InferSettings InferRuntime::snapshot() const {
  const std::lock_guard lock(settings_mutex());
  return settings_;
}

std::optional<OwnSize> InferRuntime::own_size() const {
  const std::lock_guard lock(settings_mutex());
  if (!is_loaded_) return settings_.output_size == OutputSize::kModel ? std::optional(OwnSize()) : std::nullopt;
  if (!own_size_) return {};
  OwnSize size = *own_size_;
  // Models of pictures see all of the frame, unless they are told to see its pixels in their own proportions.
  if (settings_.fit.value_or(Fit::kStretch) == Fit::kStretch) size.seen_width = size.seen_height = 0;
  return size;
}

Status InferRuntime::before_frame() {
  current_ = snapshot();
  return {};
}

Status InferRuntime::load(const ModelSettings& settings) {
  current_ = snapshot();
  SG_ASSIGN_OR_RETURN(const std::string file, model_file(settings, "TFLite"));
  SG_ASSIGN_OR_RETURN(std::shared_ptr<SharedModel> model, SharedModel::load(file, settings.model_options()));
  InferModelOptions options;
  options.task = current_.task;
  options.labels_file = current_.labels;
  options.normalisation = settings.normalisation();
  if (current_.output_scale) options.output_scale = static_cast<float>(*current_.output_scale);
  if (current_.output_offset) options.output_offset = static_cast<float>(*current_.output_offset);
  SG_ASSIGN_OR_RETURN(infer_, describe_infer_model(model->model(), model->known(), options));
  SG_ASSIGN_OR_RETURN(extra_inputs_, load_extra_inputs(current_.extra_inputs, *model->model()));
  settings.apply_to(infer_.plan_options);
  SG_RETURN_IF_ERROR(load_detector(settings));
  // The real device is not known yet, but what the least of them can do, every one can.
  SG_ASSIGN_OR_RETURN(plan_, model->plan(DeviceLimits(), infer_.plan_options));
  attach_tensors_ = current_.attach_tensors;
  SG_RETURN_IF_ERROR(choose_size());
  model_ = std::move(model);
  return {};
}

Status InferRuntime::choose_size() {
  infer_.own_size = current_.output_size == OutputSize::kModel;
  if (infer_.own_size && infer_.task != InferTask::kPicture) {
    return invalid_argument("output-size=model is for models that make a picture; " + infer_.model->name() +
                            " is decoded as " + to_string(infer_.task));
  }
  const std::lock_guard lock(settings_mutex());
  is_loaded_ = true;
  own_size_.reset();
  if (infer_.own_size) own_size_ = {infer_.picture_width, infer_.picture_height, infer_.width, infer_.height};
  return {};
}

// What finds the region for a model of landmarks.
Status InferRuntime::load_detector(const ModelSettings& settings) {
  detector_model_.reset();
  if (current_.detector.empty()) return {};
  if (infer_.task != InferTask::kLandmarks) {
    return invalid_argument("detector=" + current_.detector + " is for models of landmarks; " + infer_.model->name() +
                            " is decoded as " + to_string(infer_.task));
  }
  if (settings.fallback == Fallback::kCpu) {
    return unsupported(
        "detector: whether the model of landmarks runs is decided on the GPU; fallback=cpu cannot be had");
  }
  SG_ASSIGN_OR_RETURN(const std::string file, ModelStore().resolve(current_.detector));
  SG_ASSIGN_OR_RETURN(detector_model_, SharedModel::load(file, settings.model_options()));
  InferModelOptions options;
  options.task = InferTask::kDetection;
  SG_ASSIGN_OR_RETURN(detector_, describe_infer_model(detector_model_->model(), detector_model_->known(), options));
  settings.apply_to(detector_.plan_options);
  infer_.in_region = true;
  return detector_model_->plan(DeviceLimits(), detector_.plan_options).status();
}

void InferRuntime::unload() {
  detector_model_.reset();
  detector_ = {};
  model_.reset();
  plan_.reset();
  infer_ = {};
  extra_inputs_.clear();
  const std::lock_guard lock(settings_mutex());
  is_loaded_ = false;
}

std::string InferRuntime::warning() const {
  if (plan_ && !plan_->fallback().operators.empty()) return plan_->fallback().warning();
  if (!infer_.model || infer_.model->inputs().size() == 1 || !extra_inputs_.empty()) return {};
  return infer_.model->name() + ": the inputs besides the picture are zeros, set extra-inputs to a file with others; " +
         "the inputs are " + list(infer_.model->inputs());
}

Result<std::unique_ptr<FrameProcessor>> InferRuntime::create(const GlTarget& target) {
  PlanOptions options = infer_.plan_options;
  options.inputs[0].frame = FrameReader::planned_kind(target.device, target.frame);
  SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, target.plan(*model_, std::move(options)));
  std::optional<Inferencer::Detector> detector;
  if (detector_model_) {
    PlanOptions of_detector = detector_.plan_options;
    of_detector.inputs[0].frame = FrameReader::planned_kind(target.device, target.frame);
    SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> first, target.plan(*detector_model_, std::move(of_detector)));
    detector.emplace(Inferencer::Detector{detector_, std::move(first)});
  }
  SG_ASSIGN_OR_RETURN(std::unique_ptr<Inferencer> inferencer,
                      Inferencer::create(target.group, target.device, std::move(plan), infer_, target.frame, detector));
  for (size_t i = 0; i < extra_inputs_.size(); ++i) {
    SG_RETURN_IF_ERROR(inferencer->write_input(i + 1, extra_inputs_[i]));
  }
  std::unique_ptr<TensorAttachment> tensors;
  if (attach_tensors_) {
    SG_ASSIGN_OR_RETURN(tensors, TensorAttachment::create(target.context, target.group, *infer_.model));
  }
  return std::unique_ptr<FrameProcessor>(std::make_unique<InferProcessor>(element_, current_, infer_, target.group,
                                                                          std::move(inferencer), std::move(tensors)));
}

}  // namespace sightglass

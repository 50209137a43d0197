#include "element/model_processor.h"

#include <utility>

#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::element_log()

namespace sightglass {

namespace {

// A model that takes too long would do so on every frame, and block the GPU.
bool ends_stream(const Status& status, OnFailure policy) {
  return policy == OnFailure::kError || status.code() == ErrorCode::kTimedOut;
}

}  // namespace

ModelProcessor::ModelProcessor(const GlTarget& target, FrameModel& model, const RunSettings& settings)
    : context_(target.context), group_(target.group), model_(model) {
  model_.know_times(target.model_times);
  const bool is_known = target.model_times[0] > 0;
  measures_ = target.ahead || (settings.mask_sync == MaskSync::kLatest && !is_known);
}

Status ModelProcessor::prepare_masks(const TextureRef& mask) {
  SIGHTGLASS_ASSIGN_OR_RETURN(masks_, MaskAttachment::create(context_, group_, mask.width, mask.height));
  return {};
}

Status ModelProcessor::resize(const FrameSize& size) {
  forget();
  SIGHTGLASS_RETURN_IF_ERROR(resize_model(size));
  return std::exchange(measures_, false) ? model_.measure() : Status();
}

void ModelProcessor::forget() {
  cadence_.restart();
  model_.forget();
}

Status ModelProcessor::process(FrameJob& job) {
  const RunSettings settings = run_settings();
  const bool has_result = model_.has_result();
  const bool due = !has_result || cadence_.is_due(settings.inference_interval);
  ahead_ = has_result && (settings.mask_sync == MaskSync::kLatest || !due);
  // If a run is due while another one is in progress, it begins after that one.
  const bool begins = due && (!ahead_ || !model_.is_running());
  GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": run %s, drawing with %s", job.number,
                 begins ? "due"
                 : due  ? "due after the one in progress"
                        : "not due",
                 ahead_ ? "an earlier result" : "its own result");
  cadence_.count(begins);
  if (begins && results() != nullptr) {
    run_frame_ = results()->stamp(job.input, job.number, job.frame.width, job.frame.height);
  }
  const Status status =
      ahead_ ? model_.draw_ahead(job.frame, job.output, begins) : model_.render(job.frame, job.output);
  if (status.ok() || ends_stream(status, settings.on_failure)) return status;
  job.failure = status;
  return model_.conceal(job.frame, job.output, settings.on_failure);
}

Status ModelProcessor::annotate(FrameJob& job) {
  if (!job.failure.ok()) return {};
  if (const std::optional<ShownMask> shown = mask()) {
    if (masks_ == nullptr) SIGHTGLASS_RETURN_IF_ERROR(prepare_masks(shown->texture));
    SIGHTGLASS_RETURN_IF_ERROR(masks_->attach(job.output_buffer, job.frame.width, job.frame.height, shown->texture,
                                              shown->to_upright, shown->threshold));
  }
  return attach(job);
}

Status ModelProcessor::finish(FrameJob& job) {
  const RunSettings settings = run_settings();
  if (ahead_ && job.failure.ok()) {
    const Status status = model_.advance(settings.gpu_budget_ns);
    if (!status.ok() && ends_stream(status, settings.on_failure)) return status;
    job.failure = status;
  }
  send_results(job);
  return {};
}

void ModelProcessor::send_results(FrameJob& job) {
  if (std::exchange(runs_sent_, model_.inferences()) == model_.inferences() || results() == nullptr) return;
  const BufferRange found = this->found();
  if (found.buffer == 0 || !results()->request(run_frame_, found, results_mode())) return;
  job.awaits_results = run_frame_.number == job.number;
}

std::optional<GpuTime> ModelProcessor::poll_time() {
  const std::optional<GpuTimer::Sample> sample = model_.poll_time();
  if (!sample) return {};
  const uint64_t frame_ns = sample->model_ns + sample->other_ns;
  const bool latest = run_settings().mask_sync == MaskSync::kLatest;
  return GpuTime{model_.run_ns(), frame_ns, latest ? sample->other_ns : frame_ns};
}

}  // namespace sightglass

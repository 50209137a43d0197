#include "element/effect_runner.h"

#include <chrono>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "gpu_engine/allocation_scope.h"
#include "sightglass/empty_frame.h"
#include "sightglass/gl_objects.h"

#define GST_CAT_DEFAULT sightglass::element_log()

namespace sightglass {

namespace {

// A model that takes too long would do so on every frame, and block the GPU.
bool ends_stream(const Status& status, OnFailure policy) {
  return policy == OnFailure::kError || status.code() == ErrorCode::kTimedOut;
}

}  // namespace

EffectRunner::EffectRunner(const GlTarget& target, std::unique_ptr<Effect> effect)
    : context_(target.context),
      group_(target.group),
      gl_(group_->gl()),
      kind_(target.frame),
      read_kind_(FrameReader::planned_kind(target.device, kind_, effect->traits().life)),
      effect_(std::move(effect)),
      timer_(gl_, target.device.es),
      black_(gl_),
      warms_up_(effect_->traits().warms_up) {}

Result<std::unique_ptr<EffectRunner>> EffectRunner::create(const GlTarget& target, std::unique_ptr<Effect> effect,
                                                           GstElement* element, MaskSync sync) {
  const GlStateGuard guard(target.group->gl(), target.frame);
  std::unique_ptr<EffectRunner> runner(new EffectRunner(target, std::move(effect)));
  const Effect::Traits& traits = runner->effect_->traits();
  SIGHTGLASS_ASSIGN_OR_RETURN(runner->reader_,
                              FrameReader::create(target.group, target.device, target.frame, traits.life));
  if (traits.mask.id != 0) {
    SIGHTGLASS_ASSIGN_OR_RETURN(
        runner->masks_, MaskAttachment::create(target.context, target.group, traits.mask.width, traits.mask.height));
  }
  if (traits.decode != nullptr && element != nullptr) runner->results_.emplace(element, target.group, traits.decode);
  for (size_t i = 0; i < target.model_times.size(); ++i) {
    if (target.model_times[i] > 0) runner->paces_.add(i, target.model_times[i]);
  }
  const bool is_known = target.model_times[0] > 0;
  runner->measures_ = runner->effect_->stages() > 0 && (target.ahead || (sync == MaskSync::kLatest && !is_known));
  return runner;
}

Status EffectRunner::resize(const FrameSize& size, const ElementSettings& settings) {
  const GlStateGuard guard(gl_, kind_);
  forget();
  SIGHTGLASS_RETURN_IF_ERROR(effect_->resize(size, settings));
  if (std::exchange(warms_up_, false)) SIGHTGLASS_RETURN_IF_ERROR(warm_up(size));
  return std::exchange(measures_, false) ? measure() : Status();
}

void EffectRunner::forget() {
  cadence_.restart();
  running_ = has_result_ = false;
  shares_ = {};
  effect_->forget();
}

Status EffectRunner::process(FrameJob& job) {
  const GlStateGuard guard(gl_, kind_);
  const RunSettings& settings = job.settings->run;
  SIGHTGLASS_RETURN_IF_ERROR(effect_->prepare(job));
  if (job.is_new_scene) forget();
  const bool due = !has_result_ || cadence_.is_due(settings.inference_interval);
  latest_ = settings.mask_sync == MaskSync::kLatest;
  ahead_ = has_result_ && (latest_ || !due);
  // If a run is due while another one is in progress, it begins after that one.
  const bool begins = due && (!ahead_ || !running_);
  if (effect_->stages() > 0) {
    GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": run %s, drawing with %s", job.number,
                   begins ? "due"
                   : due  ? "due after the one in progress"
                          : "not due",
                   ahead_ ? "an earlier result" : "its own result");
  }
  cadence_.count(begins);
  if (begins && results_) run_frame_ = results_->stamp(job.input, job.number, job.frame.width, job.frame.height);
  const Status status = ahead_ ? draw_ahead(job.frame, job.output, begins) : draw_after_model(job.frame, job.output);
  if (status.ok() || ends_stream(status, settings.on_failure)) return status;
  job.failure = status;
  return draw_without_result(job);
}

Status EffectRunner::annotate(FrameJob& job) {
  if (!job.failure.ok()) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::optional<ShownMask> mask, effect_->attach(job));
  if (!mask) return {};
  if (masks_ == nullptr || !masks_->fits(mask->texture)) {
    const AllocationScope allocations(gl_);
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<MaskAttachment> masks,
                                MaskAttachment::create(context_, group_, mask->texture.width, mask->texture.height));
    SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for masks"));
    masks_ = std::move(masks);
  }
  return masks_->attach(job.output_buffer, job.output_size.width, job.output_size.height, mask->texture,
                        mask->to_upright, {mask->threshold, mask->objects});
}

Status EffectRunner::finish(FrameJob& job) {
  const RunSettings& settings = job.settings->run;
  if (ahead_ && job.failure.ok()) {
    const GlStateGuard guard(gl_, kind_);
    const Status status = checked("running the model after a frame", [&]() -> Status {
      if (running_) SIGHTGLASS_RETURN_IF_ERROR(advance_run(settings.gpu_budget_ns));
      timer_.end({.model_first = false, .model_shares = std::exchange(shares_, {})});
      return {};
    });
    if (!status.ok() && ends_stream(status, settings.on_failure)) return status;
    job.failure = status;
  }
  send_results(job);
  return {};
}

void EffectRunner::send_results(FrameJob& job) {
  if (std::exchange(runs_sent_, inferences()) == inferences() || !results_) return;
  const BufferRange found = effect_->traits().found;
  if (found.buffer == 0 || !results_->request(run_frame_, found, job.settings->results.mode)) return;
  job.awaits_results = run_frame_.number == job.number;
}

// Only GL errors reveal an out-of-memory driver or a lost context. Errors from before `issue` belong to other code and
// are cleared; errors after it are ours.
template <typename F>
Status EffectRunner::checked(const char* what, F issue) {
  clear_gl_errors(gl_);
  Status status = overrun_;
  if (status.ok()) status = issue();
  if (status.ok()) status = check_gl(gl_, what);
  if (!status.ok()) forget();
  return status;
}

Result<UprightFrame> EffectRunner::readable(const UprightFrame& frame) {
  UprightFrame read = frame;
  SIGHTGLASS_ASSIGN_OR_RETURN(read.stored, reader_.readable(frame.stored));
  return read;
}

Status EffectRunner::draw_after_model(const UprightFrame& frame, GLuint output) {
  timer_.start();
  has_result_ = false;
  const bool runs = effect_->stages() > 0;
  return checked(runs ? "running the model on a frame" : "drawing a frame", [&]() -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const UprightFrame read, readable(frame));
    if (runs) SIGHTGLASS_RETURN_IF_ERROR(run(read));
    timer_.middle();
    SIGHTGLASS_RETURN_IF_ERROR(effect_->draw(read, output, Shown::kResult));
    timer_.end({.model_first = true, .model_shares = std::exchange(shares_, {})});
    return {};
  });
}

Status EffectRunner::draw_ahead(const UprightFrame& frame, GLuint output, bool begins) {
  timer_.start();
  return checked("drawing a frame", [&]() -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const UprightFrame read, readable(frame));
    // The operators that read the frame are issued before the image is drawn: the fence that follows the image tells
    // the frame's owner that the memory may be written again.
    if (begins) SIGHTGLASS_RETURN_IF_ERROR(begin_run(read));
    SIGHTGLASS_RETURN_IF_ERROR(effect_->draw(read, output, Shown::kResult));
    timer_.middle();
    return {};
  });
}

Status EffectRunner::draw_without_result(const FrameJob& job) {
  GST_LOG_OBJECT(log_object(), "no result: drawing according to on-failure");
  const OnFailure policy = job.settings->run.on_failure;
  const auto draw_frame = [&]() -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const UprightFrame read, readable(job.frame));
    return effect_->draw(read, job.output, policy == OnFailure::kPass ? Shown::kFrame : Shown::kBackground);
  };
  if (policy != OnFailure::kBlack && checked("drawing a frame without a result", draw_frame).ok()) return {};
  return checked("drawing black", [&] { return black_.fill_black(job.output); });
}

Status EffectRunner::run(const UprightFrame& frame) {
  running_ = false;  // ends what sessions have begun
  shares_ = {};
  run_input_ = frame;
  number_ = 0;
  do {
    SIGHTGLASS_RETURN_IF_ERROR(begin_stage());
    const auto& [session, flag, model] = stage_;
    SIGHTGLASS_RETURN_IF_ERROR(flag.buffer != 0 ? session->run_if(flag.buffer, flag.offset) : session->run());
    SIGHTGLASS_RETURN_IF_ERROR(effect_->end_stage(number_));
    shares_[model] += 1;
  } while (++number_ < effect_->stages());
  finish_run();
  return {};
}

Status EffectRunner::begin_run(const UprightFrame& frame) {
  constexpr double kLeast = 1e-9;
  run_input_ = frame;
  if (effect_->stages() > 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(run_input_.stored, reader_.kept(frame.stored));
  }
  number_ = 0;
  SIGHTGLASS_RETURN_IF_ERROR(begin_stage());
  SIGHTGLASS_RETURN_IF_ERROR(issue(kLeast));
  running_ = true;
  if (progress_ == 1) SIGHTGLASS_RETURN_IF_ERROR(end_stage());
  return {};
}

Status EffectRunner::advance_run(uint64_t budget_ns) {
  auto left = static_cast<double>(budget_ns);
  while (running_) {
    if (progress_ == 0) SIGHTGLASS_RETURN_IF_ERROR(begin_stage());
    const ModelPace& pace = paces_.of(stage_.model);
    const double before = progress_;
    SIGHTGLASS_RETURN_IF_ERROR(issue(pace.share_of(budget_ns == 0 ? 0 : static_cast<uint64_t>(left))));
    GST_LOG_OBJECT(log_object(), "model: %.0f%% of the current run issued", progress_ * 100);
    shares_[stage_.model] += progress_ - before;
    if (progress_ < 1) return {};
    SIGHTGLASS_RETURN_IF_ERROR(end_stage());
    left -= (1 - before) * pace.run_ns();
    if (running_ && budget_ns != 0 && left < 1) return {};
  }
  return {};
}

Status EffectRunner::begin_stage() {
  SIGHTGLASS_ASSIGN_OR_RETURN(stage_, effect_->begin_stage(number_, run_input_));
  progress_ = 0;
  may_skip_ |= stage_.flag.buffer != 0;
  return {};
}

Status EffectRunner::end_stage() {
  SIGHTGLASS_RETURN_IF_ERROR(effect_->end_stage(number_));
  progress_ = 0;
  running_ = ++number_ < effect_->stages();
  if (!running_) finish_run();
  return {};
}

Status EffectRunner::issue(double share) {
  const bool asks = progress_ == 0 && stage_.flag.buffer != 0;
  SIGHTGLASS_ASSIGN_OR_RETURN(progress_,
                              asks ? stage_.session->run_part_if(share, stage_.flag.buffer, stage_.flag.offset)
                                   : stage_.session->run_part(share));
  return {};
}

void EffectRunner::finish_run() {
  has_result_ = true;
  ++effect_->inferences_;
}

Status EffectRunner::warm_up(const FrameSize& size) {
  const EmptyFrame empty(gl_, kind_, size.width, size.height);
  const GlTexture output = make_texture(gl_, GL_RGBA8, size.width, size.height);
  SIGHTGLASS_RETURN_IF_ERROR(draw_after_model({empty.ref(), {}, size.width, size.height}, output.id()));
  forget();
  effect_->inferences_ = 0;
  return wait_for_gpu(gl_);
}

// Runs the models on an empty frame, so that finish() knows their times even without timer queries.
Status EffectRunner::measure() {
  forget();
  const EmptyFrame empty(gl_, read_kind_, 1, 1);
  run_input_ = {empty.ref(), {}, 1, 1};
  number_ = 0;
  do {
    SIGHTGLASS_RETURN_IF_ERROR(measure_stage(number_));
  } while (++number_ < effect_->stages());
  GST_DEBUG_OBJECT(log_object(), "GPU time per run: %.2f ms", paces_.run_ns() / GST_MSECOND);
  forget();
  return {};
}

Status EffectRunner::measure_stage(size_t number) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const ModelStage stage, effect_->begin_stage(number, run_input_));
  // The first run includes work that drivers defer until then.
  for (const bool counts : {false, true}) {
    SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
    const auto begin = std::chrono::steady_clock::now();
    SIGHTGLASS_RETURN_IF_ERROR(stage.session->run());
    SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    if (counts) paces_.add(stage.model, time.count());
  }
  SIGHTGLASS_RETURN_IF_ERROR(effect_->end_stage(number));
  return stage.session->reset_state();
}

std::optional<GpuTime> EffectRunner::poll_time() {
  const std::optional<GpuTimer::Sample> sample = timer_.poll();
  if (!sample) return {};
  if (overrun_.ok() && stage_.session != nullptr) {
    overrun_ = check_run_time(sample->model_ns, stage_.session->plan().resources(), effect_->stages());
  }
  paces_.add(sample->model_ns, sample->model_shares, effect_->stages(), may_skip_);
  const uint64_t frame_ns = sample->model_ns + sample->other_ns;
  return GpuTime{paces_.run_ns(), frame_ns, latest_ ? sample->other_ns : frame_ns};
}

}  // namespace sightglass

#include "element/frame_model.h"

#include <chrono>
#include <optional>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "sightglass/empty_frame.h"
#include "sightglass/gl_objects.h"

#define GST_CAT_DEFAULT sightglass::element_log()

namespace sightglass {

FrameModel::FrameModel(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind)
    : group_(std::move(group)), gl_(group_->gl()), kind_(kind), timer_(gl_, device.es), black_(gl_) {}

Status FrameModel::create_reader(const DeviceInfo& device, FrameLife life) {
  read_kind_ = FrameReader::planned_kind(device, kind_, life);
  SIGHTGLASS_ASSIGN_OR_RETURN(reader_, FrameReader::create(group_, device, kind_, life));
  return {};
}

void FrameModel::forget() {
  run_.give_up();
  has_result_ = false;
  forget_results();
}

// Only GL errors reveal an out-of-memory driver or a lost context. Errors from before `issue` belong to other code and
// are cleared; errors after it are ours.
template <typename F>
Status FrameModel::checked(const char* what, F issue) {
  clear_gl_errors(gl_);
  Status status = overrun_;
  if (status.ok()) status = issue();
  if (status.ok()) status = check_gl(gl_, what);
  if (!status.ok()) forget();
  return status;
}

Result<UprightFrame> FrameModel::readable(const UprightFrame& frame) {
  UprightFrame read = frame;
  SIGHTGLASS_ASSIGN_OR_RETURN(read.stored, reader_.readable(frame.stored));
  return read;
}

void FrameModel::finish_run() {
  has_result_ = true;
  ++inferences_;
}

Status FrameModel::render(const UprightFrame& frame, GLuint output) {
  const GlStateGuard guard(gl_, kind_);
  timer_.start();
  has_result_ = false;
  return checked("running the model on a frame", [&]() -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const UprightFrame read, readable(frame));
    SIGHTGLASS_RETURN_IF_ERROR(run_.run(*this, read));
    finish_run();
    timer_.middle();
    SIGHTGLASS_RETURN_IF_ERROR(draw(read, output));
    timer_.end({.model_first = true, .model_shares = run_.take_shares()});
    return {};
  });
}

// The operators that read the frame are issued before the image is drawn: the fence that follows the image tells the
// frame's owner that the memory may be written again.
Status FrameModel::begin_run(const UprightFrame& read) {
  UprightFrame seen = read;
  if (stages() > 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(seen.stored, reader_.kept(read.stored));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const bool complete, run_.begin(*this, seen));
  if (complete) finish_run();
  return {};
}

Status FrameModel::draw_ahead(const UprightFrame& frame, GLuint output, bool begin) {
  const GlStateGuard guard(gl_, kind_);
  timer_.start();
  return checked("drawing a frame", [&]() -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const UprightFrame read, readable(frame));
    if (begin && !run_.is_running()) SIGHTGLASS_RETURN_IF_ERROR(begin_run(read));
    SIGHTGLASS_RETURN_IF_ERROR(draw(read, output));
    timer_.middle();
    return {};
  });
}

Status FrameModel::advance(uint64_t budget_ns) {
  const GlStateGuard guard(gl_, kind_);
  return checked("running the model after a frame", [&]() -> Status {
    if (run_.is_running()) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const bool complete, run_.advance(*this, paces_, budget_ns));
      if (complete) finish_run();
    }
    timer_.end({.model_first = false, .model_shares = run_.take_shares()});
    return {};
  });
}

Status FrameModel::conceal(const UprightFrame& frame, GLuint output, OnFailure policy) {
  const GlStateGuard guard(gl_, kind_);
  GST_LOG_OBJECT(log_object(), "no result: drawing according to on-failure");
  const auto draw_frame = [&]() -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const UprightFrame read, readable(frame));
    return draw_without_result(read, output, policy);
  };
  if (policy != OnFailure::kBlack && checked("drawing a frame without a result", draw_frame).ok()) return {};
  return checked("drawing black", [&] { return black_.fill_black(output); });
}

Status FrameModel::warm_up(int32_t width, int32_t height) {
  GlTexture output;
  std::optional<EmptyFrame> empty;
  {
    const GlStateGuard guard(gl_, kind_);
    empty.emplace(gl_, kind_, width, height);
    output = make_texture(gl_, GL_RGBA8, width, height);
  }
  SIGHTGLASS_RETURN_IF_ERROR(render({empty->ref(), {}, width, height}, output.id()));
  forget();
  inferences_ = 0;
  return wait_for_gpu(gl_);
}

Status FrameModel::measure() {
  const GlStateGuard guard(gl_, kind_);
  const EmptyFrame empty(gl_, read_kind_, 1, 1);
  forget();
  size_t stage = 0;
  do {
    SIGHTGLASS_RETURN_IF_ERROR(measure_stage(stage, {empty.ref(), {}, 1, 1}));
  } while (++stage < stages());
  GST_DEBUG_OBJECT(log_object(), "GPU time per run: %.2f ms", run_ns() / GST_MSECOND);
  forget();
  return {};
}

Status FrameModel::measure_stage(size_t number, const UprightFrame& frame) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const ModelStage stage, begin_stage(number, frame));
  // The first run includes work that drivers defer until then.
  for (const bool counts : {false, true}) {
    SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
    const auto begin = std::chrono::steady_clock::now();
    SIGHTGLASS_RETURN_IF_ERROR(stage.session->run());
    SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    if (counts) paces_.add(stage.model, time.count());
  }
  SIGHTGLASS_RETURN_IF_ERROR(end_stage(number));
  return stage.session->reset_state();
}

void FrameModel::know_times(const ModelTimes& times) {
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] > 0) paces_.add(i, times[i]);
  }
}

std::optional<GpuTimer::Sample> FrameModel::poll_time() {
  const std::optional<GpuTimer::Sample> sample = timer_.poll();
  if (sample && overrun_.ok()) overrun_ = run_.check_time(sample->model_ns, stages());
  if (sample) paces_.add(sample->model_ns, sample->model_shares, stages(), run_.may_skip());
  return sample;
}

}  // namespace sightglass

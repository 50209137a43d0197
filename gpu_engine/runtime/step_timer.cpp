#include "sightglass/step_timer.h"

#include <algorithm>
#include <new>
#include <utility>

#include "gpu_engine/quoted.h"
#include "runtime/device_speed.h"
#include "sightglass/device.h"
#include "sightglass/session.h"

namespace sightglass {

StepTimer::StepTimer(std::shared_ptr<ShareGroup> group, Method method)
    : group_(std::move(group)),
      gl_(group_->gl()),
      method_(method),
      reports_disjoint_(method == Method::kTimerQueries && is_es(gl_)) {}

StepTimer::~StepTimer() {
  if (!queries_.empty()) gl_.DeleteQueries(static_cast<GLsizei>(queries_.size()), queries_.data());
}

Result<std::unique_ptr<StepTimer>> StepTimer::create(std::shared_ptr<ShareGroup> group,
                                                     std::optional<Method> method) try {
  if (group == nullptr) throw std::bad_alloc();  // ShareGroup::create() ran out of memory
  Method used = Method::kFences;
  if (method != Method::kFences && has_timer_queries(group->gl())) {
    used = Method::kTimerQueries;
    if (!method) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const bool good, queries_are_true(group));
      if (!good) used = Method::kFences;
    }
  }
  return std::unique_ptr<StepTimer>(new StepTimer(std::move(group), used));
} catch (...) {
  return status_of_exception("a timer of steps", "create it");
}

Result<bool> StepTimer::queries_are_true(const std::shared_ptr<ShareGroup>& group) {
  constexpr int64_t kLongEnough = 4'000'000;  // nanoseconds: far above the cost of submitting and waiting
  SIGHTGLASS_ASSIGN_OR_RETURN(const MultiplyAddKernel kernel, MultiplyAddKernel::create(*group, 4));
  StepTimer queries(group, Method::kTimerQueries), fences(group, Method::kFences);
  const auto time = [&](StepTimer& timer, int rounds) -> Result<int64_t> {
    SIGHTGLASS_RETURN_IF_ERROR(timer.begin(1));
    SIGHTGLASS_RETURN_IF_ERROR(kernel.run(timer, rounds));
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> times, timer.finish());
    return times.front();
  };
  SIGHTGLASS_RETURN_IF_ERROR(time(fences, 1).status());  // drivers finish compiling at the first dispatch
  for (int rounds = 1;; rounds *= 4) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const int64_t wall, time(fences, rounds));
    if (wall < kLongEnough && rounds < MultiplyAddKernel::kMostRounds) continue;
    // One agreement suffices: on a busy machine either time may be off, but queries without compute shaders never
    // agree.
    for (int tries = 0; tries < 4; ++tries) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const int64_t by_clock, time(fences, rounds));
      SIGHTGLASS_ASSIGN_OR_RETURN(const int64_t by_gpu, time(queries, rounds));
      if (!queries.disjoint() && by_gpu > by_clock / 2 && by_gpu / 2 < by_clock) return true;
    }
    return false;
  }
}

// The query resets the flag.
bool StepTimer::take_disjoint() const {
  GLint disjoint = GL_FALSE;
  if (reports_disjoint_) gl_.GetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
  return disjoint != GL_FALSE;
}

Status StepTimer::begin(size_t steps) try {
  times_.clear();
  times_.reserve(steps);
  take_disjoint();
  if (method_ == Method::kTimerQueries && queries_.size() < 2 * steps) {
    const size_t first = queries_.size();
    queries_.resize(2 * steps);
    gl_.GenQueries(static_cast<GLsizei>(queries_.size() - first), queries_.data() + first);
  }
  return wait_for_gpu(gl_);
} catch (...) {
  return status_of_exception("a timer of steps", "begin");
}

Status StepTimer::start() try {
  by_clock_ = method_ == Method::kFences;
  if (by_clock_) return start_on_cpu();
  gl_.QueryCounter(queries_[2 * times_.size()], GL_TIMESTAMP_EXT);
  return {};
} catch (...) {
  return status_of_exception("a timer of steps", "start");
}

Status StepTimer::start_on_cpu() try {
  by_clock_ = true;
  SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
  started_ = Clock::now();
  return {};
} catch (...) {
  return status_of_exception("a timer of steps", "start");
}

Status StepTimer::stop() try {
  if (!by_clock_) {
    gl_.QueryCounter(queries_[2 * times_.size() + 1], GL_TIMESTAMP_EXT);
    times_.push_back(-1);
    return {};
  }
  SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
  times_.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count());
  return {};
} catch (...) {
  return status_of_exception("a timer of steps", "stop");
}

Result<std::vector<int64_t>> StepTimer::finish() try {
  SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl_));
  for (size_t i = 0; i < times_.size(); ++i) {
    if (times_[i] >= 0) continue;
    GLuint64 from = 0, to = 0;
    gl_.GetQueryObjectui64v(queries_[2 * i], GL_QUERY_RESULT, &from);
    gl_.GetQueryObjectui64v(queries_[2 * i + 1], GL_QUERY_RESULT, &to);
    times_[i] = to > from ? static_cast<int64_t>(to - from) : 0;
  }
  disjoint_ = take_disjoint();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl_, "timing the steps of a model"));
  return std::move(times_);
} catch (...) {
  return status_of_exception("a timer of steps", "return its times");
}

Result<std::vector<int64_t>> median_step_times(Session& session, StepTimer& timer, int passes) try {
  SIGHTGLASS_RETURN_IF_ERROR(session.profile(timer).status());
  std::vector<std::vector<int64_t>> by_step;
  int disjoint = 0;
  for (int good = 0; good < passes;) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> times, session.profile(timer));
    if (timer.disjoint()) {
      if (++disjoint > passes) return device_error("the GPU clock jumps too often to time steps");
      continue;
    }
    ++good;
    by_step.resize(times.size());
    for (size_t i = 0; i < times.size(); ++i) by_step[i].push_back(times[i]);
  }
  std::vector<int64_t> medians;
  for (std::vector<int64_t>& times : by_step) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    medians.push_back(*middle);
  }
  return medians;
} catch (...) {
  return status_of_exception(session.plan().model().name(), "time its steps");
}

}  // namespace sightglass

#include "runtime/run_watch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sightglass {

RunWatch::~RunWatch() {
  if (last_ != nullptr) gl_.DeleteSync(last_);
}

Status RunWatch::end_part() {
  const GLsync before = std::exchange(last_, gl_.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0));
  gl_.Flush();
  const auto left = std::max(std::chrono::nanoseconds(end_ - Clock::now()), std::chrono::nanoseconds(0));
  bool in_time = left.count() > 0;
  if (before != nullptr) {
    const GLenum state = gl_.ClientWaitSync(before, 0, static_cast<GLuint64>(left.count()));
    gl_.DeleteSync(before);
    if (state == GL_WAIT_FAILED) return device_error("cannot wait for the GPU: glClientWaitSync failed");
    in_time = in_time && state != GL_TIMEOUT_EXPIRED;
  }
  if (in_time) return {};
  const double seconds = std::chrono::duration<double>(limit_).count();
  return timed_out("a run takes longer than run-limit (" + std::to_string(seconds) +
                   " s); raise run-limit, or use a smaller model");
}

RunInParts::RunInParts(std::span<const Step> steps, std::span<const StepInfo> infos) : last_begin_(steps.size()) {
  double sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    sum += infos[i].seconds;
    work_.push_back(sum);
    if (steps[i].input >= 0) first_end_ = i + 1;
    if (steps[i].output >= 0) last_begin_ = std::min(last_begin_, i);
  }
}

size_t RunInParts::end_of_part(size_t first, double share) const {
  const double done = first == 0 ? 0 : work_[first - 1];
  const auto found = std::ranges::lower_bound(work_, done + share * work_.back());
  // Up to the step in which the share ends; a run without steps has one part.
  size_t end = static_cast<size_t>(found - work_.begin()) + 1;
  if (first == 0) end = std::max(end, first_end_);
  if (end > last_begin_) end = work_.size();
  return std::min(end, work_.size());
}

}  // namespace sightglass

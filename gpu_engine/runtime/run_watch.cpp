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

}  // namespace sightglass

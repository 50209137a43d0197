// Keeps a long run from blocking the GPU for other work, and from lasting forever.
#pragma once

#include <chrono>

#include "sightglass/gl_api.h"
#include "sightglass/status.h"

namespace sightglass {

// Of one run, from construction. At most two of its parts are on the GPU at a time, so it can end between parts.
class RunWatch {
 public:
  RunWatch(const GlApi& gl, std::chrono::nanoseconds limit) : gl_(gl), limit_(limit), end_(Clock::now() + limit) {}
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // Call it after the last step of a part: submits the part, and waits until the GPU has completed the one before.
  // Fails if the run has reached its limit.
  Status end_part();

 private:
  using Clock = std::chrono::steady_clock;

  const GlApi& gl_;
  const std::chrono::nanoseconds limit_;
  const Clock::time_point end_;
  GLsync last_ = nullptr;  // after the last part
};

}  // namespace sightglass

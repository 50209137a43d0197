// Times each step of a session. All calls, including the destructor, need a context of the group current.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

class Session;

class StepTimer {
 public:
  enum class Method : uint8_t {
    kTimerQueries,  // GPU timestamps around a step
    kFences,        // wall clock from an idle GPU to a passed fence: includes the cost of submitting and waiting
  };

  // Without `method`: timer queries if the context has accurate ones, otherwise fences. The check is a dispatch of some
  // milliseconds: the queries must agree with the wall clock within a factor of two. On some drivers, queries do not
  // cover compute shaders. If the context has no queries, a request for them falls back to fences.
  static Result<std::unique_ptr<StepTimer>> create(std::shared_ptr<ShareGroup> group,
                                                   std::optional<Method> method = std::nullopt);
  ~StepTimer();
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

  Method method() const { return method_; }
  const std::shared_ptr<ShareGroup>& group() const { return group_; }

  // For Session::profile() and other callers that dispatch: begin(), then start() and stop() around each of at most
  // `steps` steps, then finish(), which waits and returns nanoseconds per step. Work submitted before start() does not
  // count toward the step.
  Status begin(size_t steps);
  Status start();
  Status start_on_cpu();  // for a CPU step: always the wall clock
  Status stop();
  Result<std::vector<int64_t>> finish();
  // Whether the GPU clock may have jumped between the last begin() and finish(), for example on a frequency change: the
  // times are then invalid.
  bool disjoint() const { return disjoint_; }

 private:
  using Clock = std::chrono::steady_clock;
  StepTimer(std::shared_ptr<ShareGroup> group, Method method);
  bool take_disjoint() const;
  static Result<bool> queries_are_true(const std::shared_ptr<ShareGroup>& group);

  const std::shared_ptr<ShareGroup> group_;
  const GlApi& gl_;
  const Method method_;
  std::vector<GLuint> queries_;  // two per step
  std::vector<int64_t> times_;   // of this pass; negative: still in the queries
  Clock::time_point started_;
  bool by_clock_ = false;
  bool disjoint_ = false;
  const bool reports_disjoint_;  // only the OpenGL ES extension does
};

// The median of several passes, per step, after one uncounted pass. Passes with a disjoint clock do not count. Fails if
// the clock jumps in half of the passes or more.
Result<std::vector<int64_t>> median_step_times(Session& session, StepTimer& timer, int passes);

}  // namespace sightglass

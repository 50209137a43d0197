#include "element/model_run.h"

#include <numeric>

#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::element_log()

namespace sightglass {

ModelTimes ModelPaces::times() const {
  ModelTimes times{};
  for (size_t i = 0; i < times.size(); ++i) times[i] = paces_[i].run_ns();
  return times;
}

void ModelPaces::add(uint64_t ns, const GpuTimer::Shares& shares, size_t runs, bool may_skip) {
  const double share = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (share <= 0) return;
  const auto taken = static_cast<double>(ns);
  const auto used = std::ranges::count_if(shares, [](double one) { return one > 0; });
  double expected = 0;
  for (size_t i = 0; i < shares.size(); ++i) expected += shares[i] * paces_[i].run_ns();
  // A run that the GPU skips takes almost no time and does not count.
  constexpr double kSkipped = 0.1;
  if (may_skip && taken < kSkipped * expected) return;
  run_.add(taken, share / static_cast<double>(runs));
  // If several models share the time, it is unknown which of them was skipped.
  if (used > 1 && taken < expected) return;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    const double part = expected > 0 ? shares[i] * paces_[i].run_ns() / expected : shares[i] / share;
    paces_[i].add(taken * part, shares[i]);
  }
}

Status ModelRun::run(ModelStages& stages, const UprightFrame& frame) {
  give_up();
  frame_ = frame;
  number_ = 0;
  do {
    SIGHTGLASS_RETURN_IF_ERROR(begin_stage(stages));
    const auto& [session, flag, model] = stage_;
    SIGHTGLASS_RETURN_IF_ERROR(flag.buffer != 0 ? session->run_if(flag.buffer, flag.offset) : session->run());
    SIGHTGLASS_RETURN_IF_ERROR(stages.end_stage(number_));
    shares_[model] += 1;
  } while (++number_ < stages.stages());
  return {};
}

Result<bool> ModelRun::begin(ModelStages& stages, const UprightFrame& frame) {
  constexpr double kLeast = 1e-9;
  frame_ = frame;
  number_ = 0;
  SIGHTGLASS_RETURN_IF_ERROR(begin_stage(stages));
  SIGHTGLASS_RETURN_IF_ERROR(issue(kLeast));
  running_ = true;
  if (progress_ == 1) SIGHTGLASS_RETURN_IF_ERROR(end_stage(stages));
  return !running_;
}

Result<bool> ModelRun::advance(ModelStages& stages, const ModelPaces& paces, uint64_t budget_ns) {
  auto left = static_cast<double>(budget_ns);
  while (running_) {
    if (progress_ == 0) SIGHTGLASS_RETURN_IF_ERROR(begin_stage(stages));
    const ModelPace& pace = paces.of(stage_.model);
    const double before = progress_;
    SIGHTGLASS_RETURN_IF_ERROR(issue(pace.share_of(budget_ns == 0 ? 0 : static_cast<uint64_t>(left))));
    GST_LOG_OBJECT(log_object(), "model: %.0f%% of the current run issued", progress_ * 100);
    shares_[stage_.model] += progress_ - before;
    if (progress_ < 1) return false;
    SIGHTGLASS_RETURN_IF_ERROR(end_stage(stages));
    left -= (1 - before) * pace.run_ns();
    if (running_ && budget_ns != 0 && left < 1) return false;
  }
  return true;
}

Status ModelRun::begin_stage(ModelStages& stages) {
  SIGHTGLASS_ASSIGN_OR_RETURN(stage_, stages.begin_stage(number_, frame_));
  progress_ = 0;
  may_skip_ |= stage_.flag.buffer != 0;
  return {};
}

Status ModelRun::check_time(uint64_t model_ns, size_t stages) const {
  if (stage_.session == nullptr) return {};
  const auto limit = static_cast<uint64_t>(stage_.session->plan().resources().run_time.count()) * stages;
  if (model_ns <= limit) return {};
  const auto seconds = [](uint64_t ns) { return std::to_string(static_cast<double>(ns) / GST_SECOND) + " s"; };
  return timed_out("the model ran for " + seconds(model_ns) + ", longer than run-limit (" + seconds(limit) +
                   "); raise run-limit, or use a smaller model");
}

Status ModelRun::end_stage(ModelStages& stages) {
  SIGHTGLASS_RETURN_IF_ERROR(stages.end_stage(number_));
  progress_ = 0;
  running_ = ++number_ < stages.stages();
  return {};
}

Status ModelRun::issue(double share) {
  const bool asks = progress_ == 0 && stage_.flag.buffer != 0;
  SIGHTGLASS_ASSIGN_OR_RETURN(progress_,
                              asks ? stage_.session->run_part_if(share, stage_.flag.buffer, stage_.flag.offset)
                                   : stage_.session->run_part(share));
  return {};
}

}  // namespace sightglass

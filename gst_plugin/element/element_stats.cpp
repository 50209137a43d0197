#include "element/element_stats.h"

#include <algorithm>
#include <utility>

namespace sightglass {

GstStructure* ModelStats::to_structure(const std::string& name, const std::string& model) const {
  const auto rounded = [](double value) { return static_cast<guint64>(value); };
  return gst_structure_new(name.c_str(), "model", G_TYPE_STRING, model.c_str(), "frames", G_TYPE_UINT64, frames,
                           "inferences", G_TYPE_UINT64, inferences, "dropped", G_TYPE_UINT64, dropped, "skipped",
                           G_TYPE_UINT64, skipped, "failures", G_TYPE_UINT64, failures, "early", G_TYPE_UINT64, early,
                           "model-time", G_TYPE_UINT64, rounded(model_ns), "gpu-time", G_TYPE_UINT64, rounded(gpu_ns),
                           "gpu-time-p50", G_TYPE_UINT64, gpu_p50_ns, "gpu-time-p95", G_TYPE_UINT64, gpu_p95_ns,
                           "cpu-time", G_TYPE_UINT64, rounded(cpu_ns), "latency", G_TYPE_UINT64, latency_ns,
                           "start-time", G_TYPE_UINT64, start_ns, nullptr);
}

bool LatencyMeter::add(uint64_t frame_ns, uint64_t now_ns) {
  slowest_ns_ = std::max(slowest_ns_, frame_ns);
  const bool first = latency_ns_ == 0;
  if (!first && now_ns - period_start_ns_ < kPeriod) return false;

  const uint64_t rounded = (slowest_ns_ + kStep - 1) / kStep * kStep;
  // One step down is noise: following it would make the pipeline recompute its latency forever.
  const bool changed = rounded > latency_ns_ || rounded + kStep < latency_ns_;
  if (changed) latency_ns_ = rounded;
  slowest_ns_ = 0;
  period_start_ns_ = now_ns;
  return changed;
}

namespace {

void average(double& mean, uint64_t value) {
  constexpr double kShare = 0.1;
  mean = mean == 0 ? static_cast<double>(value) : mean + kShare * (static_cast<double>(value) - mean);
}

}  // namespace

void ElementStats::restart() {
  const std::lock_guard lock(mutex_);
  stats_ = {};
  skipped_before_ = 0;
  held_ns_ = 0;
  gpu_times_ = {};
  late_ns_ = 0;
  latency_ = {};
  latency_changed_ = false;
  failing_ = false;
  failure_.clear();
}

void ElementStats::note_start(uint64_t ns) {
  const std::lock_guard lock(mutex_);
  stats_.start_ns = ns;
}

void ElementStats::note_change(uint64_t ns) {
  const std::lock_guard lock(mutex_);
  stats_.start_ns = ns;
  skipped_before_ = stats_.skipped;
}

void ElementStats::note_work(const FrameWork& work) {
  const std::lock_guard lock(mutex_);
  stats_.skipped = skipped_before_ + work.skipped;
  stats_.inferences += work.inferences;
  if (work.early) ++stats_.early;
  if (!work.failure.empty()) {
    ++stats_.failures;
    if (!std::exchange(failing_, true)) failure_ = work.failure;
  } else if (work.inferences > 0) {
    failing_ = false;
  }
  if (!work.time) return;
  stats_.model_ns = work.time->model_ns;
  average(stats_.gpu_ns, work.time->frame_ns);
  average(late_ns_, work.time->late_ns);
  gpu_times_.add(work.time->frame_ns);
}

void ElementStats::note_frame(uint64_t cpu_ns, uint64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (++stats_.frames <= GpuTimer::kWarmUpFrames) return;
  average(stats_.cpu_ns, cpu_ns);
  // Issuing and executing overlap: the slower of the two delays the frame.
  const uint64_t frame_ns = std::max(cpu_ns, static_cast<uint64_t>(late_ns_));
  if (latency_.add(frame_ns, now_ns)) latency_changed_ = true;
}

void ElementStats::note_dropped() {
  const std::lock_guard lock(mutex_);
  ++stats_.dropped;
}

void ElementStats::note_held_time(uint64_t ns) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(held_ns_, ns) != ns) latency_changed_ = true;
}

bool ElementStats::take_latency_change() {
  const std::lock_guard lock(mutex_);
  return std::exchange(latency_changed_, false);
}

std::string ElementStats::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, {});
}

ModelStats ElementStats::snapshot() const {
  const std::lock_guard lock(mutex_);
  ModelStats stats = stats_;
  stats.gpu_p50_ns = gpu_times_.at(50);
  stats.gpu_p95_ns = gpu_times_.at(95);
  stats.latency_ns = latency_.latency_ns() + held_ns_;
  return stats;
}

void ElementStats::request_skipped() {
  const std::lock_guard lock(mutex_);
  wants_skipped_ = true;
}

bool ElementStats::take_request_for_skipped() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wants_skipped_, false);
}

}  // namespace sightglass

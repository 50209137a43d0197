#include "element/latency_meter.h"

#include <algorithm>

namespace sightglass {

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

}  // namespace sightglass

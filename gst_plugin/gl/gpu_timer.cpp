#include "gl/gpu_timer.h"

#include "sightglass/device.h"

namespace sightglass {

GpuTimer::GpuTimer(const GlApi& gl, bool es) : gl_(gl), es_(es), available_(has_timer_queries(gl)) {
  if (!available_) return;
  for (Frame& frame : frames_) gl_.GenQueries(kMarks, frame.queries.data());
}

GpuTimer::~GpuTimer() {
  if (!available_) return;
  for (const Frame& frame : frames_) gl_.DeleteQueries(kMarks, frame.queries.data());
}

void GpuTimer::mark(Mark mark) {
  if (!available_) return;
  const Frame& frame = frames_[next_];
  if (mark == kStart) recording_ = !frame.pending;  // all queries are in use if the GPU is far behind
  if (recording_) gl_.QueryCounter(frame.queries[mark], GL_TIMESTAMP_EXT);
}

void GpuTimer::end(const Work& work) {
  mark(kEnd);
  if (!recording_) return;
  frames_[next_].work = work;
  frames_[next_].pending = true;
  next_ = (next_ + 1) % kFrames;
}

std::optional<GpuTimer::Sample> GpuTimer::poll() {
  std::optional<Sample> latest;
  while (frames_[oldest_].pending) {
    Frame& frame = frames_[oldest_];
    GLuint known = 0;
    gl_.GetQueryObjectuiv(frame.queries[kEnd], GL_QUERY_RESULT_AVAILABLE, &known);
    if (known == 0) break;
    std::array<GLuint64, kMarks> at{};
    for (size_t i = 0; i < kMarks; ++i) gl_.GetQueryObjectui64v(frame.queries[i], GL_QUERY_RESULT, &at[i]);
    frame.pending = false;
    oldest_ = (oldest_ + 1) % kFrames;
    GLint disjoint = 0;
    if (es_) gl_.GetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
    if (++known_frames_ <= kWarmUpFrames || disjoint != 0 || at[kMiddle] < at[kStart] || at[kEnd] < at[kMiddle])
      continue;
    const uint64_t first = at[kMiddle] - at[kStart], second = at[kEnd] - at[kMiddle];
    const bool model_first = frame.work.model_first;
    latest = {model_first ? first : second, model_first ? second : first, frame.work.model_shares};
  }
  return latest;
}

}  // namespace sightglass

// Measures how long frames take on the GPU, with timer queries that are read frames later: it never waits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sightglass/gl_api.h"

namespace sightglass {

class GpuTimer {
 public:
  enum Mark : uint8_t { kStart, kMiddle, kEnd, kMarks };
  // Per model, the issued share of a run, or the number of runs. Some elements run several models.
  static constexpr size_t kModels = 3;
  using Shares = std::array<double, kModels>;
  // The work of a frame between its marks.
  struct Work {
    bool model_first = true;  // models ran before kMiddle and the rest after it, or the reverse
    Shares model_shares{};
  };
  struct Sample {
    uint64_t model_ns = 0, other_ns = 0;
    Shares model_shares{};
  };

  // If the context has no timer queries, the timer never reports. The context must be current, here and for every call.
  GpuTimer(const GlApi& gl, bool es);
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // Record the time at which the GPU gets here. Call all three in this order per frame; a failed frame may stop early.
  void start() { mark(kStart); }
  void middle() { mark(kMiddle); }
  void end(const Work& work);
  // The latest frame whose time became known since the last call. Skips the first frames, in which drivers finish
  // compiling.
  static constexpr uint64_t kWarmUpFrames = 2;
  std::optional<Sample> poll();

 private:
  static constexpr size_t kFrames = 8;  // in flight
  struct Frame {
    std::array<GLuint, kMarks> queries{};
    Work work;
    bool pending = false;
  };
  void mark(Mark mark);

  const GlApi& gl_;
  bool es_;
  bool available_;
  bool recording_ = false;
  size_t next_ = 0, oldest_ = 0;
  uint64_t known_frames_ = 0;
  std::array<Frame, kFrames> frames_;
};

}  // namespace sightglass

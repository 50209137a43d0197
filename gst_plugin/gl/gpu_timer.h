// How long frames take on the GPU, from timer queries that are read frames later: nothing ever waits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gpu_engine/gl_api.h"

namespace sightglass {

class GpuTimer {
 public:
  enum Mark : uint8_t { kStart, kMiddle, kEnd, kMarks };
  // How much of a run, or how many of them, by model: some elements run two.
  static constexpr size_t kModels = 2;
  using Shares = std::array<double, kModels>;
  // What a frame did between its marks.
  struct Work {
    bool model_first = true;  // models ran before kMiddle, and the rest after it; or the other way round
    Shares model_shares{};
  };
  struct Sample {
    uint64_t model_ns = 0, other_ns = 0;
    Shares model_shares{};
  };

  // A timer that never reports where the context has no timer queries. The context must be current, here and for every
  // call.
  GpuTimer(const GlApi& gl, bool es);
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // Note the time at which the GPU gets here. A frame calls all three in this order; one that fails need not go on.
  void start() { mark(kStart); }
  void middle() { mark(kMiddle); }
  void end(const Work& work);
  // The latest frame that has become known since the last call. Not for the first frames, in which drivers finish
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

// Runs one model, or several in sequence, and draws frames with their results, on one GL context.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "element/model_run.h"
#include "element/run_settings.h"
#include "gl/frame_format.h"
#include "gl/frame_reader.h"
#include "gl/gpu_timer.h"
#include "gl/pass.h"
#include "sightglass/device.h"
#include "sightglass/share_group.h"

namespace sightglass {

// Frames are read in place or as copies (FrameReader). All calls that create or draw, including the destructor, need
// the context current and restore GL state.
class FrameModel : protected ModelStages {
 public:
  // If one of the calls below fails, GL errors included, it leaves no result. Do not show `output` before conceal() has
  // drawn over it. `output` is a texture of the upright frame size, or of the size that the model determines.

  // Issues all work for one frame and returns without waiting: the models, then the image with the frame's result.
  Status render(const UprightFrame& frame, GLuint output);
  // The same in two steps, for images that do not wait for the models; needs a previous result. draw_ahead() draws the
  // image with that result. If `begin` is set and no run is in progress, it begins one with this frame. Only this call
  // reads `frame`, and it completes `output`. advance() then issues as much of the run as the GPU executes in about
  // `budget_ns`, but at least one operator (0 = no limit).
  Status draw_ahead(const UprightFrame& frame, GLuint output, bool begin);
  Status advance(uint64_t budget_ns);
  // Draws the frame without a result according to `policy`, which is not kError. Draws black if that fails; fails if
  // black cannot be drawn either.
  Status conceal(const UprightFrame& frame, GLuint output, OnFailure policy);

  // Runs the models on an empty frame and waits for them, so that advance() knows their times even without timer
  // queries. Discards the result.
  Status measure();
  // Replaces measure() with times measured earlier.
  void know_times(const ModelTimes& times);

  bool has_result() const { return has_result_; }
  // The next frame is from another scene. No GL call.
  void forget();
  // Whether a run has begun and is not complete.
  bool is_running() const { return run_.is_running(); }
  // Number of complete runs.
  uint64_t inferences() const { return inferences_; }
  // GPU time in nanoseconds per run, and per run of each model, averaged over the last few runs; 0 while unknown.
  double run_ns() const { return paces_.run_ns(); }
  ModelTimes times() const { return paces_.times(); }
  // GPU time of the latest frame whose time became known since the last call.
  std::optional<GpuTimer::Sample> poll_time();

 protected:
  // Frames are of `kind`.
  FrameModel(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind);
  // Call before the first frame; `life` is kKept if there are several stages.
  Status create_reader(const DeviceInfo& device, FrameLife life);
  // Call before the first frame: draws an empty frame and forgets it, so that drivers finish compiling.
  Status warm_up(int32_t width, int32_t height);
  // The kind of frames that models and painters sample.
  FrameKind read_kind() const { return read_kind_; }

  // Draws the image with the last result.
  virtual Status draw(const UprightFrame& frame, GLuint output) = 0;
  // Draws the image without a result; `policy` is kPass or kBackground.
  virtual Status draw_without_result(const UprightFrame& frame, GLuint output, OnFailure policy) = 0;
  // Forgets everything that depends on previous frames. No GL call.
  virtual void forget_results() = 0;

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi& gl_;
  const FrameKind kind_;  // of incoming frames

 private:
  template <typename F>
  Status checked(const char* what, F issue);
  Result<UprightFrame> readable(const UprightFrame& frame);
  Status begin_run(const UprightFrame& read);
  Status measure_stage(size_t stage, const UprightFrame& frame);
  void finish_run();

  FrameReader reader_;
  FrameKind read_kind_ = FrameKind::kRgba;
  GpuTimer timer_;
  DrawTarget black_;
  ModelRun run_;
  ModelPaces paces_;
  bool has_result_ = false;
  uint64_t inferences_ = 0;
  Status overrun_;  // set for good once a run took longer than it may
};

}  // namespace sightglass

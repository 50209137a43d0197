// Runs an effect on frames: decides whether the model runs on a frame, runs it at once or in parts, draws the frame,
// attaches the mask, requests the results, and applies on-failure.
#pragma once

#include <gst/gl/gl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "element/effect.h"
#include "element/element_stats.h"
#include "element/loaded_model.h"
#include "element/model_pace.h"
#include "gl/frame_reader.h"
#include "gl/gpu_timer.h"
#include "gl/pass.h"
#include "meta/mask_attachment.h"
#include "results/readback.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// All calls except forget(), including the destructor, need the context current and restore GL state. None waits for
// the GPU, except resize() the first time.
class EffectRunner {
 public:
  // `element` posts messages with results; it outlives the runner, or is null. `sync` is the current value of
  // mask-sync.
  static Result<std::unique_ptr<EffectRunner>> create(const GlTarget& target, std::unique_ptr<Effect> effect,
                                                      GstElement* element, MaskSync sync);

  // Allocates for upright frames of that size, and forgets previous frames but not their results.
  Status resize(const FrameSize& size, const ElementSettings& settings);
  // The next frame is from another scene. Pending results belong to frames that were shown, and are kept.
  void forget();

  // For each frame, in this order. process() issues the model, if it runs on the frame and the frame waits for it, and
  // draws the frame. After a failure, do not show `output`.
  Status process(FrameJob& job);
  // The output is now writable: attaches metadata.
  Status annotate(FrameJob& job);
  // Call after the output's sync point is set, since readers of the output do not wait for this work: issues a part of
  // the model if the frame did not wait for it, and requests results. Does not read the frame's textures.
  Status finish(FrameJob& job);

  // Results of frames on their way to the application; null if it gets none.
  ResultsReadback* results() { return results_ ? &*results_ : nullptr; }
  // Number of complete runs, and how many of them the GPU skipped, as far as known.
  uint64_t inferences() const { return effect_->inferences(); }
  uint64_t skipped() const { return effect_->skipped(); }
  // GPU time of the latest frame whose time became known since the last call.
  std::optional<GpuTime> poll_time();
  // GPU time in nanoseconds per run of each model, averaged over the last few runs; 0 while unknown.
  ModelTimes model_times() const { return paces_.times(); }

 private:
  EffectRunner(const GlTarget& target, std::unique_ptr<Effect> effect);
  template <typename F>
  Status checked(const char* what, F issue);
  Result<UprightFrame> readable(const UprightFrame& frame);

  // The image waits for the model, or shows an earlier result.
  Status draw_after_model(const UprightFrame& frame, GLuint output);
  Status draw_ahead(const UprightFrame& frame, GLuint output, bool begins);
  Status draw_without_result(const FrameJob& job);

  // A run at once, or in parts with frames drawn in between: begin_run() samples the frame, advance_run() issues as
  // much as takes about `budget_ns`, but at least one operator (0: all).
  Status run(const UprightFrame& frame);
  Status begin_run(const UprightFrame& frame);
  Status advance_run(uint64_t budget_ns);
  Status begin_stage();
  Status end_stage();
  Status issue(double share);
  void finish_run();

  Status warm_up(const FrameSize& size);
  Status measure();
  Status measure_stage(size_t number);
  void send_results(FrameJob& job);

  GstGLContext* const context_;  // null outside of pipelines
  const std::shared_ptr<ShareGroup> group_;
  const GlApi& gl_;
  const FrameKind kind_;  // of incoming frames
  FrameKind read_kind_;   // of those that effects sample
  const std::unique_ptr<Effect> effect_;
  FrameReader reader_;
  GpuTimer timer_;
  DrawTarget black_;
  std::unique_ptr<MaskAttachment> masks_;  // created on first use
  std::optional<ResultsReadback> results_;
  bool warms_up_, measures_ = false;  // before the first frame

  Cadence cadence_;
  bool has_result_ = false;
  bool ahead_ = false;      // the current frame is drawn with a previous result
  bool latest_ = false;     // frames do not wait for the model
  FrameStamp run_frame_;    // frame on which the latest run began
  uint64_t runs_sent_ = 0;  // inferences() when results were last sent

  // The run in progress.
  bool running_ = false;
  UprightFrame run_input_;
  size_t number_ = 0;  // of the current stage
  ModelStage stage_;
  double progress_ = 0;        // of the stage; 0: not begun
  GpuTimer::Shares shares_{};  // how much of each model was issued and not timed yet

  bool may_skip_ = false;  // the GPU decides whether a model runs
  ModelPaces paces_;
  Status overrun_;  // set for good once a run took longer than it may
};

}  // namespace sightglass

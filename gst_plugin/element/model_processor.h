// Frame handling of every element with a model: decides whether the model runs on the frame, draws it, attaches the
// mask, requests the results, and applies on-failure.
#pragma once

#include <memory>
#include <optional>

#include "element/frame_model.h"
#include "element/frame_processor.h"
#include "element/run_settings.h"
#include "meta/mask_attachment.h"
#include "results/readback.h"

namespace sightglass {

// Frames drawn with the newest result are not held for their own.
inline ResultsPolicy results_policy_of(const ResultsPolicy& wanted, MaskSync sync) {
  return {wanted.mode, sync == MaskSync::kLatest ? ResultsSync::kLatest : wanted.sync};
}

class ModelProcessor : public FrameProcessor {
 public:
  Status resize(const FrameSize& size) final;
  void forget() override;
  // Derived classes prepare the model for the frame, then call this.
  Status process(FrameJob& job) override;
  Status annotate(FrameJob& job) final;
  Status finish(FrameJob& job) final;
  uint64_t inferences() const final { return model_.inferences(); }
  std::optional<GpuTime> poll_time() final;
  ModelTimes model_times() const final { return model_.times(); }

 protected:
  // A mask to attach to a frame, and its position in the upright frame.
  struct ShownMask {
    TextureRef texture;
    InputTransform to_upright;
    float threshold = 0.5F;  // of GstAnalyticsSegmentationMtd
  };

  // `model` must outlive this; `settings` are those at start.
  ModelProcessor(const GlTarget& target, FrameModel& model, const RunSettings& settings);
  // Compiles and allocates everything for masks of this size.
  Status prepare_masks(const TextureRef& mask);

  // The settings for the current frame.
  virtual RunSettings run_settings() const = 0;
  // Prepares for frames of another size.
  virtual Status resize_model(const FrameSize& size) = 0;
  // The mask of the drawn frame, if masks are to be attached.
  virtual std::optional<ShownMask> mask() const { return {}; }
  // Attaches the element's own metadata, after a frame was drawn with a result.
  virtual Status attach(const FrameJob& /*job*/) { return {}; }
  // The result of the last run, for results(), without a buffer if there is none; and how it reaches the application.
  virtual BufferRange found() const { return {}; }
  virtual ResultsMode results_mode() const { return ResultsMode::kNone; }

 private:
  void send_results(FrameJob& job);

  GstGLContext* const context_;  // all calls are on its thread
  const std::shared_ptr<ShareGroup> group_;
  FrameModel& model_;
  std::unique_ptr<MaskAttachment> masks_;  // created on first use
  Cadence cadence_;
  bool measures_;           // whether to measure the model before the next frame
  bool ahead_ = false;      // the current frame is drawn with a previous result
  FrameStamp run_frame_;    // frame on which the latest run began
  uint64_t runs_sent_ = 0;  // inferences() when results were last sent
};

}  // namespace sightglass

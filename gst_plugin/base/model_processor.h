// The handling of a frame in every element with a model: decides whether the model runs on it, draws it, attaches the
// mask, requests the results, and applies on-failure.
#pragma once

#include <memory>
#include <optional>

#include "base/cadence.h"
#include "base/frame_model.h"
#include "base/frame_processor.h"
#include "base/run_settings.h"
#include "meta/mask_attachment.h"
#include "results/results_readback.h"

namespace sightglass {

// Frames that are drawn with the newest result are not held for their own.
inline ResultsPolicy results_policy_of(const ResultsPolicy& wanted, MaskSync sync) {
  return {wanted.mode, sync == MaskSync::kLatest ? ResultsSync::kLatest : wanted.sync};
}

class ModelProcessor : public FrameProcessor {
 public:
  Status resize(int32_t width, int32_t height) final;
  void forget() override;
  // Derived classes prepare the model for the frame first.
  Status process(FrameJob& job) override;
  Status annotate(FrameJob& job) final;
  Status finish(FrameJob& job) final;
  uint64_t inferences() const final { return model_.inferences(); }
  std::optional<GpuTime> poll_time() final;
  ModelTimes model_times() const final { return model_.times(); }

 protected:
  // A mask to attach to a frame, and where it is in the upright frame.
  struct ShownMask {
    TextureRef texture;
    InputTransform to_upright;
    float threshold = 0.5F;  // of GstAnalyticsSegmentationMtd
  };

  // `model` outlives this; `settings` are those of the start.
  ModelProcessor(const GlTarget& target, FrameModel& model, const RunSettings& settings);
  // Compiles and allocates everything that masks of this size need.
  Status prepare_masks(const TextureRef& mask);

  // Those of the current frame.
  virtual RunSettings run_settings() const = 0;
  // For frames of another size.
  virtual Status resize_model(int32_t width, int32_t height) = 0;
  // The mask of the frame that has been drawn, if masks are wanted.
  virtual std::optional<ShownMask> mask() const { return {}; }
  // After a frame has been drawn with a result: attaches the element's own metadata.
  virtual Status attach(const FrameJob& /*job*/) { return {}; }
  // The result of the last run, for results(); no buffer if there is none. And how applications get it.
  virtual BufferRange found() const { return {}; }
  virtual ResultsMode results_mode() const { return ResultsMode::kNone; }

 private:
  void send_results(FrameJob& job);

  GstGLContext* const context_;  // whose thread all of this is on
  const std::shared_ptr<ShareGroup> group_;
  FrameModel& model_;
  std::unique_ptr<MaskAttachment> masks_;  // since they were first wanted
  Cadence cadence_;
  bool measures_;           // before the next frame
  bool ahead_ = false;      // the current frame is drawn with a previous result
  FrameStamp run_frame_;    // that the latest run began with
  uint64_t runs_sent_ = 0;  // inferences() when results were last sent
};

}  // namespace sightglass

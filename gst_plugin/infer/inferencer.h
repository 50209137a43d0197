// A model, the decoder of its outputs and what shows the results, on one GL context.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/frame_model.h"
#include "detect/regions.h"
#include "draw/overlay_painter.h"
#include "gl/frame_painter.h"
#include "gpu_engine/device.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"

namespace sightglass {

// The result is what its decoder makes of the outputs.
class Inferencer : public FrameModel {
 public:
  // What finds the region that the model looks at: a detector, and its plan for the same kind of frames.
  struct Detector {
    const InferModel& model;
    std::shared_ptr<const Plan> plan;
  };
  // What models are to be planned for where frames are of that kind.
  static FrameKind planned_kind(const DeviceInfo& device, const InferModel& model, FrameKind kind) {
    return FrameReader::planned_kind(device, kind, life_of_frames(model.in_region));
  }
  // Compiles and uploads everything that the group does not have yet: drawing does none of that. `plan` is of `model`,
  // and its picture for planned_kind() of `kind`, which frames are of. Inputs besides the picture are zeros.
  // A detector is needed where the model looks at a region (InferModel::in_region): it then runs where one was found.
  static Result<std::unique_ptr<Inferencer>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                    std::shared_ptr<const Plan> plan, const InferModel& model,
                                                    FrameKind kind,
                                                    const std::optional<Detector>& detector = std::nullopt);

  // For upright frames of width × height pixels; forgets what was before. Outputs of render() are of this size, or the
  // model's picture's (InferModel::own_size), and then show what the model sees. Text is rasterized here, for the look
  // that was set: a frame does that only if its look has another text height.
  void resize(int32_t width, int32_t height);
  // How outputs are decoded and drawn, and how the model sees frames, from now on.
  void set_look(const InferLook& look, Fit fit) {
    look_ = look;
    fit_ = fit;
  }
  // Another content for an input besides the picture: dense, row-major, of the input's type.
  Status write_input(size_t input, std::span<const std::byte> bytes) { return session_->write_input(input, bytes); }

  // What the last run has found (Decoder::results()).
  BufferRange results() const { return decoder_ ? decoder_->results() : BufferRange(); }
  // The numbers of an output (Session::output_buffer()).
  Result<BufferRange> tensor(size_t output) const { return session_->output_buffer(output); }

 private:
  Inferencer(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind)
      : FrameModel(std::move(group), device, kind) {}
  // The model looks at the frame's region after the detector has run.
  static FrameLife life_of_frames(bool in_region) { return in_region ? FrameLife::kKept : FrameLife::kOneFrame; }
  Status create_sessions(std::shared_ptr<const Plan> plan, const InferModel& model,
                         const std::optional<Detector>& detector);
  size_t stages() const override { return first_ ? 1 + static_cast<size_t>(regions_wanted_) : 1; }
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output) override;
  Status draw_without_result(const UprightFrame& frame, GLuint output, OnFailure policy) override;
  void forget_results() override;
  Result<ModelStage> begin_detector(const UprightFrame& frame);
  Result<ModelStage> begin_in_region(const UprightFrame& frame);
  Status end_detector();
  Status end_in_region(bool is_last);
  // What is shown of the frame where it is drawn into the output.
  TextureRef target(GLuint output) const;
  Status draw_frame(const UprightFrame& frame, GLuint output, const InputTransform& input_to_upright);

  std::unique_ptr<Session> session_;
  struct FirstStage {
    std::unique_ptr<Session> session;
    std::unique_ptr<Decoder> decoder;
    Regions regions;
    RegionRule rule;                // from detections to regions
    int32_t width = 0, height = 0;  // of the detector's input
    RegionParams params;            // of the run under way
    bool is_new = true;             // the frame of the next run has nothing to do with the one before
  };
  std::optional<FirstStage> first_;       // where the model looks at a region
  std::unique_ptr<Decoder> decoder_;      // none: nothing is decoded
  std::optional<FramePainter> frames_;    // what is shown of frames
  std::optional<FramePainter> pictures_;  // and of the model's pictures
  std::unique_ptr<OverlayPainter> overlay_;
  int32_t model_width_ = 0, model_height_ = 0;
  int32_t width_ = 0, height_ = 0;        // of upright frames
  InputTransform input_to_upright_;       // of the last run
  InputTransform next_input_to_upright_;  // of the run under way; the detector's in its stage
  InferLook look_;
  Fit fit_ = Fit::kStretch;
  bool own_size_ = false;
  int32_t regions_wanted_ = 1;  // of the run under way
};

}  // namespace sightglass

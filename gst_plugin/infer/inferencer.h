// Runs a model, decodes its outputs and draws the results, on one GL context.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "detect/regions.h"
#include "draw/overlay_painter.h"
#include "element/frame_model.h"
#include "gl/frame_reader.h"
#include "infer/blendshapes.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "sightglass/device.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {

// The result of a run is that of the decoder.
class Inferencer : public FrameModel {
 public:
  // The detector that finds the region of the model, and its plan for the same kind of frames.
  struct Detector {
    const InferModel& model;
    std::shared_ptr<const Plan> plan;
  };
  // The kind of frames to plan models for, if incoming frames are of `kind`.
  static FrameKind planned_kind(const DeviceInfo& device, const InferModel& model, FrameKind kind) {
    return FrameReader::planned_kind(device, kind, life_of_frames(model.in_region));
  }
  // Compiles and uploads everything that the group does not have yet, so that drawing does not. Frames are of `kind`,
  // and `plan` is that of `model` for planned_kind(). Inputs other than the image are zeros. If the model runs on a
  // region (InferModel::in_region), a detector is required, and the model runs only when that finds one. Then
  // `blendshapes` may be the plan of a BlendshapeModel, which runs after it.
  static Result<std::unique_ptr<Inferencer>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                    std::shared_ptr<const Plan> plan, const InferModel& model,
                                                    FrameKind kind,
                                                    const std::optional<Detector>& detector = std::nullopt,
                                                    std::shared_ptr<const Plan> blendshapes = nullptr);

  // Prepares for upright frames of width × height pixels, and forgets previous frames. The output of render() has this
  // size, or the size of the model's image (InferModel::own_size) and then shows the frame region of the model input.
  // Rasterizes text for the current look; frames do that only if their text height differs.
  void resize(const FrameSize& size);
  // How to decode and draw outputs, and how to fit frames into the model input, from now on.
  void set_look(const InferLook& look, Fit fit) {
    look_ = look;
    fit_ = fit;
  }
  // Sets the content of an input other than the image: tightly packed, row-major, of the input's type.
  Status write_input(size_t input, std::span<const std::byte> bytes) { return session_->write_input(input, bytes); }

  // The results of the last run (Decoder::results()).
  BufferRange results() const { return decoder_ ? decoder_->results() : BufferRange(); }
  // The values of an output (Session::output_buffer()).
  Result<BufferRange> tensor(size_t output) const { return session_->output_buffer(output); }

 private:
  Inferencer(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind)
      : FrameModel(std::move(group), device, kind) {}
  // The model reads the region of the frame after the detector has run.
  static FrameLife life_of_frames(bool in_region) { return in_region ? FrameLife::kKept : FrameLife::kOneFrame; }
  Status create_sessions(std::shared_ptr<const Plan> plan, const InferModel& model,
                         const std::optional<Detector>& detector);
  size_t stages() const override { return first_ ? 1 + stages_per_region() * static_cast<size_t>(regions_wanted_) : 1; }
  size_t stages_per_region() const { return runs_blendshapes_ ? 2 : 1; }
  // The stages of a region are the model, then the blendshapes.
  bool is_blendshapes(size_t stage) const { return runs_blendshapes_ && stage > 0 && stage % 2 == 0; }
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output) override;
  Status draw_without_result(const UprightFrame& frame, GLuint output, OnFailure policy) override;
  void forget_results() override;
  Result<ModelStage> begin_detector(const UprightFrame& frame);
  Result<ModelStage> begin_in_region(const UprightFrame& frame);
  Status end_detector();
  Status end_in_region();
  // The output as a drawing target, with its size.
  TextureRef target(GLuint output) const;
  Status draw_frame(const UprightFrame& frame, GLuint output, const InputTransform& input_to_upright);

  std::unique_ptr<Session> session_;
  struct FirstStage {
    std::unique_ptr<Session> session;
    std::unique_ptr<Decoder> decoder;
    Regions regions;
    RegionRule rule;                // from detections to regions
    int32_t width = 0, height = 0;  // of the detector input
    RegionParams params;            // of the current run
    bool is_new = true;             // the frame of the next run is unrelated to the previous one
  };
  std::optional<FirstStage> first_;           // if the model runs on a region
  std::unique_ptr<Blendshapes> blendshapes_;  // may be null
  std::unique_ptr<Decoder> decoder_;          // null: no decoding
  std::optional<FramePainter> frames_;        // draws frames
  std::optional<FramePainter> pictures_;      // draws images output by the model
  std::unique_ptr<OverlayPainter> overlay_;
  int32_t model_width_ = 0, model_height_ = 0;
  FrameSize size_;                        // of upright frames
  InputTransform input_to_upright_;       // of the last run
  InputTransform next_input_to_upright_;  // of the current run; for the detector in its stage
  InferLook look_;
  Fit fit_ = Fit::kStretch;
  bool own_size_ = false;
  // Of the current run:
  int32_t regions_wanted_ = 1;
  bool runs_blendshapes_ = false;
};

}  // namespace sightglass

// A model, the decoder of its outputs and what shows the results, on one GL context.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "draw/overlay_painter.h"
#include "gl/frame_painter.h"
#include "gl/frame_reader.h"
#include "gl/gpu_timer.h"
#include "gpu_engine/device.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "infer/region.h"

namespace sightglass {

// All calls that make or draw something, the destructor included, need the context current. GL state is as found.
class Inferencer {
 public:
  // What finds the region that the model looks at: a detector, and its plan for the same kind of frames.
  struct Detector {
    const InferModel& model;
    std::shared_ptr<const Plan> plan;
  };
  // Compiles and uploads everything that the group does not have yet: process() does none of that. `plan` is of
  // `model`, and its picture for FrameReader::planned_kind() of `kind`, which frames are of. Inputs besides the picture
  // are zeros.
  // A detector is needed where the model looks at a region (InferModel::in_region): it then runs where one was found.
  static Result<std::unique_ptr<Inferencer>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                    std::shared_ptr<const Plan> plan, const InferModel& model,
                                                    FrameKind kind,
                                                    const std::optional<Detector>& detector = std::nullopt);

  // For upright frames of width × height pixels; forgets what was before.
  void resize(int32_t width, int32_t height);
  void forget();
  // Another content for an input besides the picture: dense, row-major, of the input's type.
  Status write_input(size_t input, std::span<const std::byte> bytes) { return session_->write_input(input, bytes); }

  // Issues all work for one frame and returns without waiting: the model, if `run`, its decoder, and the picture into
  // `output`, a texture of the upright frame's size, or the model's picture's (InferModel::own_size), which then shows
  // what the model sees. Without a run results are those of the one before.
  // `upright_to_stored` leads from the upright frame to where it lies in `frame`.
  Status process(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                 const InferLook& look, bool run = true);

  // What the last run has found (Decoder::results()).
  BufferRange results() const { return decoder_ ? decoder_->results() : BufferRange(); }
  // The numbers of an output (Session::output_buffer()).
  Result<BufferRange> tensor(size_t output) const { return session_->output_buffer(output); }
  uint64_t inferences() const { return inferences_; }
  // The GPU's time for the latest frame that has become known since the last call.
  std::optional<GpuTimer::Sample> poll_time() { return timer_->poll(); }

 private:
  Inferencer(std::shared_ptr<ShareGroup> group, FrameKind kind)
      : group_(std::move(group)), gl_(group_->gl()), kind_(kind) {}
  Status infer(const FrameRef& frame, const InputTransform& upright_to_stored, Fit fit, const InferLook& look);
  Status infer_in_region(const FrameRef& frame, const InputTransform& upright_to_stored, const InferLook& look);
  Status show(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, const InferLook& look);

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi& gl_;
  FrameKind kind_;
  std::unique_ptr<Session> session_;
  struct FirstStage {
    std::unique_ptr<Session> session;
    std::unique_ptr<Decoder> decoder;
    std::unique_ptr<Region> region;
    int32_t width = 0, height = 0;  // of the detector's input
  };
  std::optional<FirstStage> first_;       // where the model looks at a region
  std::unique_ptr<Decoder> decoder_;      // none: nothing is decoded
  std::optional<FramePainter> frames_;    // what is shown of frames
  std::optional<FramePainter> pictures_;  // and of the model's pictures
  std::unique_ptr<OverlayPainter> overlay_;
  std::optional<FrameReader> reader_;
  std::optional<GpuTimer> timer_;
  int32_t model_width_ = 0, model_height_ = 0;
  int32_t width_ = 0, height_ = 0;   // of upright frames
  InputTransform input_to_upright_;  // of the last run
  bool has_results_ = false;
  bool own_size_ = false;
  uint64_t inferences_ = 0;
};

}  // namespace sightglass

// Poses on one GL context: a finder of persons, who is who from frame to frame, and skeletons over the picture.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/frame_model.h"
#include "gl/frame_painter.h"
#include "gpu_engine/device.h"
#include "pose/person_finder.h"
#include "pose/person_follower.h"
#include "pose/skeleton_painter.h"

namespace sightglass {

// What may change from frame to frame.
struct PoseLook {
  int32_t max_persons = 1;
  std::optional<float> person_score;  // unset: what suits the model
  bool smoothing = true;
  float min_cutoff = 0.05F;  // Hz; with beta, MediaPipe's for its landmarks
  float beta = 80;           // Hz by sizes of the person in a second
  bool draw = true;
  SkeletonStyle style;  // its thresholds count for persons' boxes as well
};

// The result is who was found.
class PoseEstimator : public FrameModel {
 public:
  // What models are to be planned for where frames are of that kind and are found by `finder`'s kind of model.
  static FrameKind planned_kind(const DeviceInfo& device, PoseKind model, FrameKind kind) {
    return FrameReader::planned_kind(device, kind, life_of_frames(model));
  }
  // `model` is the one that gives the key points; frames are of that kind, and the finder was made for planned_kind().
  static Result<std::unique_ptr<PoseEstimator>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                       const PoseModel& model, std::unique_ptr<PersonFinder> finder,
                                                       FrameKind kind);

  // For upright frames of width × height pixels; forgets who was there. The first time, drivers are made to finish what
  // they leave to the first frame.
  Status resize(int32_t width, int32_t height);
  // How persons are looked for and drawn from now on.
  void set_look(const PoseLook& look) { look_ = look; }
  // Before each frame: how long it comes after the one before.
  void pass_time(float seconds) { seconds_ += seconds; }

  // Of the last run: a buffer of Persons (pose/persons.h), the same one after every run, and, of a model that gives
  // one, the mask of the upright frame.
  BufferRange persons() const { return follower_->persons(); }
  TextureRef mask() const { return finder_->mask(); }

 private:
  PoseEstimator(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind)
      : FrameModel(std::move(group), device, kind) {}
  // BlazePose's second model reads the frame after the first one has run.
  static FrameLife life_of_frames(PoseKind model) {
    return model == PoseKind::kBlazePose ? FrameLife::kKept : FrameLife::kOneFrame;
  }
  size_t stages() const override { return finder_->stages(); }
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output) override;
  Status draw_without_result(const UprightFrame& frame, GLuint output, OnFailure policy) override;
  void forget_results() override;

  float usual_person_score_ = 0;
  std::optional<FramePainter> frame_painter_;
  std::unique_ptr<PersonFinder> finder_;
  std::optional<PersonFollower> follower_;
  std::unique_ptr<SkeletonPainter> skeletons_;
  PoseLook look_;
  FollowOptions follow_;            // for the run under way
  float seconds_ = 0;               // since the frame of the run before
  int32_t width_ = 0, height_ = 0;  // of upright frames
  bool is_new_ = true;              // nobody is known from the frame before
  bool warm_ = false;
};

}  // namespace sightglass

// Pose estimation on one GL context: finds people, tracks them from frame to frame, and draws skeletons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "element/frame_model.h"
#include "gl/frame_painter.h"
#include "pose/person_finder.h"
#include "pose/person_follower.h"
#include "pose/skeleton_painter.h"
#include "sightglass/device.h"

namespace sightglass {

// Options that may change with every frame.
struct PoseLook {
  int32_t max_persons = 1;
  std::optional<float> person_score;  // unset: the model default
  bool smoothing = true;
  float min_cutoff = 0.05F;  // Hz; this and beta are the MediaPipe values for landmarks
  float beta = 80;           // Hz per person size per second
  bool draw = true;
  SkeletonStyle style;  // its thresholds also apply to the boxes of people
};

// The result of a run is the people found.
class PoseEstimator : public FrameModel {
 public:
  // The kind of frames to plan models for, if incoming frames are of `kind` and the finder uses this kind of model.
  static FrameKind planned_kind(const DeviceInfo& device, PoseKind model, FrameKind kind) {
    return FrameReader::planned_kind(device, kind, life_of_frames(model));
  }
  // `model` is the one that outputs the keypoints. Frames are of `kind`, and `finder` was created for planned_kind().
  static Result<std::unique_ptr<PoseEstimator>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                       const PoseModel& model, std::unique_ptr<PersonFinder> finder,
                                                       FrameKind kind);

  // Prepares for upright frames of width × height pixels, and forgets all people. The first call draws once, so that
  // drivers finish compiling.
  Status resize(const FrameSize& size);
  // How to find and draw people from now on.
  void set_look(const PoseLook& look) { look_ = look; }
  // Call before each frame with the time since the previous one.
  void pass_time(float seconds) { seconds_ += seconds; }

  // Results of the last run: a buffer of Persons (meta/persons.h), always the same one, and the mask of the upright
  // frame, if the model has one.
  BufferRange persons() const { return follower_->persons(); }
  TextureRef mask() const { return finder_->mask(); }

 private:
  PoseEstimator(std::shared_ptr<ShareGroup> group, const DeviceInfo& device, FrameKind kind)
      : FrameModel(std::move(group), device, kind) {}
  // The second BlazePose model reads the frame after the first one has run.
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
  FollowOptions follow_;  // for the current run
  float seconds_ = 0;     // since the frame of the previous run
  FrameSize size_;        // of upright frames
  bool is_new_ = true;    // nobody is tracked from the previous frame
  bool warm_ = false;
};

}  // namespace sightglass

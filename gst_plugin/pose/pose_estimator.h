// Poses on one GL context: a finder of persons, who is who from frame to frame, and skeletons over the picture.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gl/frame_painter.h"
#include "gl/frame_reader.h"
#include "gl/gpu_timer.h"
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

// All calls that make or draw something, the destructor included, need the context current. GL state is as found.
class PoseEstimator {
 public:
  // `model` is the one that gives the key points; frames are of that kind, and the finder was made for planned_kind().
  static FrameKind planned_kind(const DeviceInfo& device, FrameKind kind) {
    return FrameReader::planned_kind(device, kind);
  }
  static Result<std::unique_ptr<PoseEstimator>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                       const PoseModel& model, std::unique_ptr<PersonFinder> finder,
                                                       FrameKind kind);

  // For upright frames of width × height pixels; forgets who was there. The first time, drivers are made to finish what
  // they leave to the first frame.
  Status resize(int32_t width, int32_t height);
  // What comes next is another scene.
  void forget() { is_new_ = true; }

  // Issues all work for a frame and returns without waiting. Persons are looked for in it if it follows the last one
  // that they were looked for in by so many `seconds`; without them, who was found there is there still. `output` is a
  // texture of the upright frame's size: the frame, with skeletons over it if the look says so.
  Status process(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, const PoseLook& look,
                 std::optional<float> seconds);

  // Of the last frame: a buffer of Persons (pose/persons.h), and, of a model that gives one, the mask of the upright
  // frame. The same ones after every frame.
  BufferRange persons() const { return follower_->persons(); }
  TextureRef mask() const { return finder_->mask(); }

  // The GPU's time for the latest frame that has become known since the last call.
  std::optional<GpuTimer::Sample> poll_time() { return timer_->poll(); }

 private:
  explicit PoseEstimator(std::shared_ptr<ShareGroup> group) : group_(std::move(group)) {}
  Status warm_up();
  Status find(const FrameRef& read, const InputTransform& upright_to_stored, const PoseLook& look, float seconds);

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  float usual_person_score_ = 0;
  FrameKind kind_ = FrameKind::kRgba;
  std::optional<FrameReader> reader_;
  std::optional<FramePainter> frame_painter_;
  std::unique_ptr<PersonFinder> finder_;
  std::optional<PersonFollower> follower_;
  std::unique_ptr<SkeletonPainter> skeletons_;
  std::optional<GpuTimer> timer_;
  int32_t width_ = 0, height_ = 0;  // of upright frames
  bool is_new_ = true;              // nobody is known from the frame before
  bool warm_ = false;
};

}  // namespace sightglass

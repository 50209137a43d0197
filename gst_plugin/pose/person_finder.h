// Finds the people in a frame: one or two models and their decoders, from a frame in textures to a buffer of Persons.
#pragma once

#include <cstdint>
#include <memory>

#include "detect/regions.h"
#include "element/effect.h"
#include "gl/frame_format.h"
#include "pose/pose_model.h"
#include "sightglass/input_transform.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Options that may change with every frame.
struct FindOptions {
  int32_t max_persons = 1;    // 1 to kMaxPersons; single-person models find one
  float person_score = 0;     // minimum score of a person
  float seconds = -1;         // since the previous frame; below 0: unrelated to it
  Fit fit = Fit::kLetterbox;  // kLetterbox or kStretch, of models that process whole frames
  bool limb_limits = false;   // people whose limbs are too long are looked for again
};

// The options for finders with regions.
inline RegionOptions region_options(const FindOptions& options) {
  return {.most = options.max_persons,
          .least_score = options.person_score,
          .seconds = options.seconds,
          .limb_limits = options.limb_limits};
}

// Reads nothing back and never waits. The results of a run are found() and mask().
class PersonFinder {
 public:
  virtual ~PersonFinder() = default;
  // As those of Effect.
  virtual size_t stages() const { return 1; }
  virtual Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) = 0;
  virtual Status end_stage(size_t stage) = 0;
  // Call before begin_stage(0): sets the options of the run that it begins.
  void set_options(const FindOptions& options) { options_ = options; }
  // Runs all stages for a frame.
  Status find(const UprightFrame& frame, const FindOptions& options);
  // The people found: a buffer of Persons (meta/persons.h). Entries without points are empty; boxes are unset. IDs are
  // those of a finder that tracks people itself, otherwise 0. The same buffer after every frame.
  virtual BufferRange found() const = 0;
  // The mask of the last run: a 2D texture of the upright frame with the probability in R; no texture if the model has
  // no mask. A different texture of the same size after every run.
  virtual TextureRef mask() const { return {}; }

 protected:
  const FindOptions& options() const { return options_; }

 private:
  FindOptions options_;
};

// Default person score of models of this kind, for FindOptions.
float usual_person_score(PoseKind kind);

// For single-stage models: MoveNet, PoseNet, heatmaps, SimCC, YOLO.
Result<std::unique_ptr<PersonFinder>> make_one_stage_finder(const std::shared_ptr<ShareGroup>& group,
                                                            const PoseModel& model, std::shared_ptr<const Plan> plan);

// BlazePose in two stages: a detector that finds people in the frame, and a landmark model that finds the keypoints of
// the person in a region. The region comes from the landmarks of the previous frame, or from the detector if nobody is
// tracked. The GPU makes these decisions: one buffer determines whether the models run (Session::run_if()), another the
// position of the landmark model's input in the frame.
struct BlazePosePlans {
  PoseModel detector_model, landmarks_model;
  std::shared_ptr<const Plan> detector, landmarks;
};

// Frames are of `kind`; the models are planned for FrameKind::kRgba, the kind of their sampled input.
Result<std::unique_ptr<PersonFinder>> make_blazepose_finder(const std::shared_ptr<ShareGroup>& group,
                                                            BlazePosePlans plans, FrameKind kind);

}  // namespace sightglass

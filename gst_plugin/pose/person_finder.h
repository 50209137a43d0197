// Finds the persons of a frame: a model, or two, and their decoders, from a frame in textures to a buffer of persons.
#pragma once

#include <cstdint>
#include <memory>

#include "base/model_run.h"
#include "detect/regions.h"
#include "gl/upright_frame.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"
#include "pose/pose_model.h"

namespace sightglass {

// What may change from frame to frame.
struct FindOptions {
  int32_t max_persons = 1;  // 1 to kMaxPersons; models of one person find one
  float person_score = 0;   // of a person, the least
  float seconds = -1;       // since the frame before; below 0: it has nothing to do with this one
};

// For finders with regions.
inline RegionOptions region_options(const FindOptions& options) {
  return {.most = options.max_persons, .least_score = options.person_score, .seconds = options.seconds};
}

// Nothing is read back, and nothing waits. The result of a run is found(), and mask().
class PersonFinder : public ModelStages {
 public:
  // Before begin_stage(0): for the run that it begins.
  void set_options(const FindOptions& options) { options_ = options; }
  // Issues all work for a frame.
  Status find(const UprightFrame& frame, const FindOptions& options);
  // Who was found: a buffer of Persons (meta/persons.h) in which those without points are none, and boxes are not set.
  // IDs are those of a finder that tracks people by itself, else 0. The same one after every frame.
  virtual BufferRange found() const = 0;
  // Whose mask the model gives: a 2D texture of the upright frame, probability in R, of the last run; no texture where
  // it gives none. Another one after every run, of the same size.
  virtual TextureRef mask() const { return {}; }

 protected:
  const FindOptions& options() const { return options_; }

 private:
  FindOptions options_;
};

// A person's score that suits a model of this kind, for FindOptions.
float usual_person_score(PoseKind kind);

// For models of one stage: MoveNet, PoseNet, heat maps.
Result<std::unique_ptr<PersonFinder>> make_one_stage_finder(const std::shared_ptr<ShareGroup>& group,
                                                            const PoseModel& model, std::shared_ptr<const Plan> plan);

}  // namespace sightglass

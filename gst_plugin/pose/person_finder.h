// Finds the persons of a frame: a model, or two, and their decoders, from a frame in textures to a buffer of persons.
#pragma once

#include <cstdint>
#include <memory>

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

// All calls, the destructor included, need the context current. GL state after every call is as the engine's sessions
// leave it (gpu_engine/session.h). Nothing is read back, and nothing waits.
class PersonFinder {
 public:
  virtual ~PersonFinder() = default;
  // Issues all work for a frame.
  virtual Status find(const UprightFrame& frame, const FindOptions& options) = 0;
  // Who was found: a buffer of Persons (pose/persons.h) in which those without points are none, and boxes and ids are
  // not set. The same one after every frame.
  virtual BufferRange found() const = 0;
  // Whose mask the model gives: a 2D texture of the upright frame, probability in R, of the last frame; no texture
  // where it gives none. The same one after every frame.
  virtual TextureRef mask() const { return {}; }
};

// A person's score that suits a model of this kind, for FindOptions.
float usual_person_score(PoseKind kind);

// For models of one stage: MoveNet, PoseNet, heat maps.
Result<std::unique_ptr<PersonFinder>> make_one_stage_finder(const std::shared_ptr<ShareGroup>& group,
                                                            const PoseModel& model, std::shared_ptr<const Plan> plan);

}  // namespace sightglass

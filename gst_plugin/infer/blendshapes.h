// The blendshapes of faces: a third model turns the landmarks of each face into coefficients of its expression. All on
// the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "element/effect.h"
#include "gl/objects.h"
#include "infer/landmarks.h"
#include "sightglass/gl_objects.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// The published names of the coefficients, in the order of the model output: "browDownLeft".
extern const std::array<const char*, kBlendshapes> kBlendshapeNames;
// The landmarks that the model takes, of 478.
extern const std::array<int32_t, kBlendshapePoints> kBlendshapeLandmarks;

struct BlendshapeModel {
  std::shared_ptr<const Model> model;
  PlanOptions plan_options;  // input and output as buffers
};
// If it is not a model of this kind, fails, naming the file and its tensors.
Result<BlendshapeModel> describe_blendshape_model(std::shared_ptr<const Model> model);

// All calls, including the destructor, need the context current and leave GL state as the engine's sessions do.
class Blendshapes {
 public:
  static Result<std::unique_ptr<Blendshapes>> create(std::shared_ptr<ShareGroup> group,
                                                     std::shared_ptr<const Plan> plan);

  // Copies the landmarks of the current region of `state` (Regions) from `found`, LandmarkObjects, to the model input.
  // The stage runs only if a face was found there. The frame size is in pixels.
  Result<ModelStage> begin(const BufferRange& found, const BufferRange& state, int32_t width, int32_t height);
  // After the run: copies the coefficients to `found`.
  Status end(const BufferRange& found, const BufferRange& state);

 private:
  struct Block {  // Params of gather_landmarks.comp
    std::array<float, 4> size{};
    std::array<int32_t, (kBlendshapePoints + 3) / 4 * 4> points{};
    bool operator==(const Block&) const = default;
  };
  Blendshapes(std::shared_ptr<ShareGroup> group, std::unique_ptr<Session> session, std::vector<SharedProgram> programs);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  std::unique_ptr<Session> session_;
  std::vector<SharedProgram> programs_;  // gathers, stores
  UniformBlock<Block> block_;
  Block content_;
  GlBuffer flag_;
};

}  // namespace sightglass

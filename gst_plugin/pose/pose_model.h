// A model seen as a finder of poses: which kind it is, and what its outputs mean. No GL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/model_picture.h"
#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "known_models.h"
#include "meta/skeletons.h"

namespace sightglass {

enum class PoseKind : uint8_t {
  kMoveNet,             // 1 x 1 x 17 x 3: y, x, score of each point
  kMoveNetMulti,        // 1 x 6 x 56: 17 such points, box and score of each person
  kPoseNet,             // scores and short offsets by cell, for one person
  kPoseNetMulti,        // and displacements along the skeleton, for several
  kHeatMaps,            // scores by cell alone
  kBlazePose,           // landmarks of the one person in a region
  kBlazePoseDetection,  // boxes and points of persons, by anchor: the first of BlazePose's two stages
};
// For people: "BlazePose landmarks".
const char* to_string(PoseKind kind);

struct PoseModelOptions {
  std::optional<KnownModel> known = {};  // the published model that it is
  InputNormalisation normalisation = {};
  bool mask = false;  // BlazePose's segmentation mask is wanted
};

struct PoseModel {
  // What an output is for.
  enum Role : uint8_t {
    kPoints,    // MoveNet's tensor; BlazePose's 39 landmarks of x, y, z, visibility and presence
    kScore,     // whether there is a person; of detections: by anchor
    kBoxes,     // of detections: 12 numbers by anchor
    kWorld,     // 39 places in metres
    kMask,      // logits of the person's mask
    kHeat,      // scores by cell and point
    kOffsets,   // from the cell to the point, y of all points and then x of all, in pixels of the input
    kForward,   // from a point to the next one of the skeleton, likewise; with kBackward's behind where that is none
    kBackward,  // from a point to the one before
    kRoles
  };
  static constexpr size_t kNone = SIZE_MAX;

  PoseKind kind = PoseKind::kMoveNet;
  std::shared_ptr<const Model> model;
  PlanOptions plan_options;
  std::array<size_t, kRoles> outputs{};  // indices, or kNone
  const Skeleton* skeleton = nullptr;
  int32_t width = 0, height = 0;   // of the model's input, in pixels
  int32_t columns = 0, rows = 0;   // of cells, where there are any
  bool scores_are_logits = false;  // of cells
  bool has(Role role) const { return outputs[role] != kNone; }
};

// Fails, naming file and tensors and what is needed, when the model finds no poses.
Result<PoseModel> describe_pose_model(std::shared_ptr<const Model> model, const PoseModelOptions& options);

}  // namespace sightglass

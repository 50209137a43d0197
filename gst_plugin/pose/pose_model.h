// The description of a pose model: its kind and the roles of its outputs. No GL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "detect/yolo_decoder.h"
#include "element/model_picture.h"
#include "known_models.h"
#include "meta/inference_results.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass {

enum class PoseKind : uint8_t {
  kMoveNet,             // 1 x 1 x 17 x 3: y, x, score of each point
  kMoveNetMulti,        // 1 x 6 x 56: 17 such points, box and score of each person
  kPoses,               // of PosenetDecoderOp: points, their scores, and a score for each person
  kPoseNet,             // scores and short offsets per cell, for one person
  kPoseNetMulti,        // also displacements along the skeleton, for several people
  kHeatMaps,            // only scores per cell
  kSimCc,               // scores per column and per row of the input, for one person
  kYolo,                // boxes of people with keypoints (detect/yolo_decoder.h)
  kBlazePose,           // landmarks of the one person in a region
  kBlazePoseDetection,  // boxes and points of people per anchor: the first of two BlazePose stages
};
// Display name, such as "BlazePose landmarks".
const char* to_string(PoseKind kind);

struct PoseModelOptions {
  std::optional<KnownModel> known = {};  // catalog entry of the model
  InputNormalization normalization = {};
  bool mask = false;  // whether to use the BlazePose segmentation mask
};

struct PoseModel {
  // Role of an output.
  enum Role : uint8_t {
    kRowScores,    // of SimCC: 1 x points x rows; kPoints: 1 x points x columns
    kPoints,       // the MoveNet tensor; that of YOLO; the 39 BlazePose landmarks of x, y, z, visibility and presence
    kPointScores,  // of PosenetDecoderOp: per person and point
    kScore,        // probability of a person; of detections: per anchor; of PosenetDecoderOp: per person
    kBoxes,        // of detections: 12 values per anchor
    kWorld,        // 39 positions in meters
    kMask,         // logits of the person mask
    kHeat,         // scores per cell and point
    kOffsets,      // from the cell to the point, y of all points, then x of all, in input pixels
    kForward,      // from a point to the next one of the skeleton, likewise; without kBackward, its values follow
    kBackward,     // from a point to the previous one
    kRoles
  };
  static constexpr size_t kNone = SIZE_MAX;

  PoseKind kind = PoseKind::kMoveNet;
  std::shared_ptr<const Model> model;
  PlanOptions plan_options;
  std::array<size_t, kRoles> outputs{};  // indices, or kNone
  const Skeleton* skeleton = nullptr;
  std::optional<YoloModel> yolo;
  int32_t width = 0, height = 0;   // of the model input, in pixels
  int32_t columns = 0, rows = 0;   // of cells, or of SimCC scores, if any
  bool scores_are_logits = false;  // whether cell scores are logits
  bool has(Role role) const { return outputs[role] != kNone; }
};

// If it is not a pose model, fails, naming the file, its tensors and the expected ones.
Result<PoseModel> describe_pose_model(std::shared_ptr<const Model> model, const PoseModelOptions& options);

}  // namespace sightglass

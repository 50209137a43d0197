// The results of a model for a frame, on the CPU: the source of metadata, messages and JSON. No GStreamer, no GL.
// Strings are UTF-8.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "meta/persons.h"

namespace sightglass {

// Names of the keypoints of pose models, and the connections between them.
struct Skeleton {
  const char* name;                                    // "coco-17"
  std::span<const char* const> points;                 // names, by index: "left_elbow"
  std::span<const std::pair<uint8_t, uint8_t>> bones;  // pairs of indices
};

// BlazePose: 33 points, named and connected as in MediaPipe.
const Skeleton& blazepose_skeleton();
// MoveNet, PoseNet and other models with the 17 points of COCO.
const Skeleton& coco_skeleton();
// The 21 points of a hand with the names and connections of MediaPipe.
const Skeleton& hand_skeleton();
// "point_0", "point_1" and so on, unconnected; `points` is 1 to kMaxKeyPoints.
const Skeleton& nameless_skeleton(int32_t points);

inline constexpr uint64_t kNoTime = ~uint64_t{0};

// Identifies a frame. Times are in nanoseconds, kNoTime if unknown.
struct FrameStamp {
  uint64_t timestamp = kNoTime;     // PTS of the buffer
  uint64_t stream_time = kNoTime;   // position in the stream
  uint64_t running_time = kNoTime;  // since the pipeline started playing
  uint64_t number = 0;              // counted by the element since it started
  int32_t width = 0, height = 0;    // of the upright frame, in pixels
};

struct Classification {
  std::string label;  // empty: the model has no labels
  int32_t class_id = -1;
  float score = 0;  // in [0,1]
};

struct ResultObject {
  std::string label;  // empty: the model has no labels
  int32_t class_id = -1;
  float score = 0;                     // in [0,1]
  std::array<float, 4> box{};          // minimum x and y, maximum x and y, in fractions of the upright frame
  float rotation = 0;                  // radians, clockwise from upright
  int32_t id = 0;                      // track ID, constant while the object is tracked; 0: untracked
  std::vector<KeyPoint> points;        // may be empty
  const Skeleton* skeleton = nullptr;  // names `points`, and lives as long as the process; null: no names
  std::vector<Classification> classifications = {};  // of the object, by class: the blendshapes of a face
  std::vector<float> vector = {};                    // that describes the object; usually none
  // Encloses the box if that is rotated: then `box` is the one before it is rotated around its center, in frame pixels.
  // None: the box is not rotated, whatever the object in it is.
  std::optional<std::array<float, 4>> bounds = {};
};

struct InferenceResults {
  std::string model;  // display name
  FrameStamp frame;   // the frame that the results describe
  std::vector<ResultObject> objects;
  std::vector<Classification> classifications;  // of the whole frame, best first
};

using SharedResults = std::shared_ptr<const InferenceResults>;

}  // namespace sightglass

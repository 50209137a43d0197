// What a model has found in a frame, on the CPU: what metadata, messages and JSON are made of. No GStreamer, no GL.
// Texts are UTF-8.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "meta/persons.h"
#include "meta/skeletons.h"

namespace sightglass {

inline constexpr uint64_t kNoTime = ~uint64_t{0};

// Which frame. Times are in nanoseconds, kNoTime where unknown.
struct FrameStamp {
  uint64_t timestamp = kNoTime;     // the buffer's own (PTS)
  uint64_t stream_time = kNoTime;   // place in the stream
  uint64_t running_time = kNoTime;  // since the pipeline plays
  uint64_t number = 0;              // counted by the element since it started
  int32_t width = 0, height = 0;    // of the upright picture, in pixels
};

struct ResultObject {
  std::string label;  // empty: the model has no names
  int32_t class_id = -1;
  float score = 0;                     // in [0,1]
  std::array<float, 4> box{};          // least x, least y, greatest x, greatest y, in fractions of the upright picture
  float rotation = 0;                  // radians, clockwise, from upright
  int32_t id = 0;                      // the same from frame to frame while the object is followed; 0: is not followed
  std::vector<KeyPoint> points;        // may be none
  const Skeleton* skeleton = nullptr;  // names `points`, and lives as long as the program; null: they have no names
};

struct Classification {
  std::string label;  // empty: the model has no names
  int32_t class_id = -1;
  float score = 0;  // in [0,1]
};

struct InferenceResults {
  std::string model;  // its name, for people
  FrameStamp frame;   // that this was found in
  std::vector<ResultObject> objects;
  std::vector<Classification> classifications;  // of the whole picture, best first
};

using SharedResults = std::shared_ptr<const InferenceResults>;

}  // namespace sightglass

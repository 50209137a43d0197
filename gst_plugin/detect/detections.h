// The detections in a frame as decoders write them on the GPU: the content of one buffer, declared in
// shaders/detect/detections.glsl (std430). Coordinates are fractions of the upright frame: (0,0) is its top left
// corner, (1,1) the opposite one; they may be outside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr int32_t kMaxDetections = 100;
inline constexpr int32_t kMaxDetectionPoints = 8;

struct Detection {
  std::array<float, 4> box{};  // minimum x and y, maximum x and y; encloses the corners
  float score = 0;             // in [0,1]
  int32_t class_id = 0;
  int32_t points_count = 0;   // valid entries of `points`
  int32_t row = 0;            // of raw outputs: the index of the box there
  int32_t id = 0;             // track ID, from 1 on; 0: not tracked
  int32_t values_count = 0;   // what another model has said of it (infer/object_regions.h)
  int32_t corners_count = 0;  // 4: the first points are the corners of a rotated box, and no others are valid; or 0
  int32_t unused = 0;
  // X and y; undefined from `points_count` or `corners_count` on. Corners are in the order upper left, upper right,
  // lower right, and lower left of the box before it is rotated.
  std::array<std::array<float, 2>, kMaxDetectionPoints> points{};
  bool operator==(const Detection&) const = default;
};

struct Detections {
  int32_t count = 0;
  int32_t in_pixels = 0;  // of YOLO: 1 if the raw coordinates are pixels, 0 if they are fractions of the model input
  std::array<int32_t, 2> unused{};
  std::array<Detection, kMaxDetections> detections{};  // best first; undefined from `count` on
};

static_assert(sizeof(Detection) == 48 + 8 * kMaxDetectionPoints);
static_assert(offsetof(Detections, detections) == 16 && sizeof(Detections) == 16 + kMaxDetections * sizeof(Detection));

}  // namespace sightglass

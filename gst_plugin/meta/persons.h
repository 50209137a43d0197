// The persons of a frame as every pose model's decoder leaves them on the GPU: the content of one buffer, as
// shaders/pose/persons.glsl declares it (std430). Places are fractions of the upright frame: (0,0) is its top left
// corner, (1,1) the opposite one; they may lie outside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr int32_t kMaxPersons = 8;
inline constexpr int32_t kMaxKeyPoints = 33;

struct KeyPoint {
  float x = 0, y = 0;
  float z = 0;  // depth in fractions of the frame's width, negative towards the camera; 0 without a model's word
  float visibility = 0;  // in [0,1]: how likely the point is to be seen, and not hidden
  float presence = 0;  // in [0,1]: how likely it lies in the frame; equal to visibility where the model gives one score
  float world_x = 0, world_y = 0, world_z = 0;  // metres from the middle of the hips; 0 where the model has none
  bool operator==(const KeyPoint&) const = default;
};

struct Person {
  std::array<float, 4> box{};  // least x, least y, greatest x, greatest y
  float score = 0;             // in [0,1]
  float rotation = 0;          // radians, clockwise, from upright
  int32_t id = 0;              // the same from frame to frame, as long as the person is followed
  int32_t points_count = 0;    // of `points`, by the model's skeleton
  std::array<KeyPoint, kMaxKeyPoints> points{};
  bool operator==(const Person&) const = default;
};

struct Persons {
  int32_t count = 0;
  std::array<int32_t, 3> unused{};
  std::array<Person, kMaxPersons> persons{};  // those from `count` on mean nothing
};

static_assert(sizeof(KeyPoint) == 32 && sizeof(Person) == 32 + 32 * kMaxKeyPoints);
static_assert(offsetof(Persons, persons) == 16 && sizeof(Persons) == 16 + kMaxPersons * sizeof(Person));

}  // namespace sightglass

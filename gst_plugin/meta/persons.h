// The people in a frame as the decoders of all pose models write them on the GPU: the content of one buffer, declared
// in shaders/pose/persons.glsl (std430). Coordinates are fractions of the upright frame: (0,0) is its top left corner,
// (1,1) the opposite one; they may be outside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass {

inline constexpr int32_t kMaxPersons = 8;
inline constexpr int32_t kMaxKeyPoints = 33;

struct KeyPoint {
  float x = 0, y = 0;
  float z = 0;           // depth in fractions of the frame width, negative towards the camera; 0 if the model has none
  float visibility = 0;  // in [0,1]: probability that the point is visible and not occluded
  float presence = 0;    // in [0,1]: probability that it is in the frame; equals visibility if the model has one score
  float world_x = 0, world_y = 0, world_z = 0;  // meters from the center of the hips; 0 if the model has none
  bool operator==(const KeyPoint&) const = default;
};

struct Person {
  std::array<float, 4> box{};  // minimum x and y, maximum x and y
  float score = 0;             // in [0,1]
  float rotation = 0;          // radians, clockwise from upright
  int32_t id = 0;              // track ID, constant while the person is tracked
  int32_t points_count = 0;    // valid entries of `points`, by the model's skeleton
  std::array<KeyPoint, kMaxKeyPoints> points{};
  bool operator==(const Person&) const = default;
};

struct Persons {
  int32_t count = 0;
  std::array<int32_t, 3> unused{};
  std::array<Person, kMaxPersons> persons{};  // entries from `count` on are undefined
};

static_assert(sizeof(KeyPoint) == 32 && sizeof(Person) == 32 + 32 * kMaxKeyPoints);
static_assert(offsetof(Persons, persons) == 16 && sizeof(Persons) == 16 + kMaxPersons * sizeof(Person));

}  // namespace sightglass

// The people in a frame; gst_plugin/meta/persons.h documents the members. Shaders declare the buffer themselves:
//   layout(std430, binding = 0) readonly buffer Persons { PERSONS };
#include "meta/persons.h"

struct KeyPoint {
  float x, y, z;
  float visibility, presence;
  float world_x, world_y, world_z;
};
struct Person {
  vec4 box;  // minimum x and y, maximum x and y
  float score;
  float rotation;
  int id;
  int points_count;
  KeyPoint points[kMaxKeyPoints];
};

#define PERSONS          \
  int persons_count;     \
  int persons_unused[3]; \
  Person persons[kMaxPersons]

// The landmarks of the objects in a frame; gst_plugin/infer/landmarks.h documents the members. Shaders declare the
// buffer themselves:
//   layout(std430, binding = 0) readonly buffer Found { LANDMARKS; };
#include "infer/landmarks.h"

struct Landmarks {
  int count;
  float score;
  float right;
  int id;
  vec4 points[kMaxLandmarks];
};

#define LANDMARKS        \
  int objects_count;     \
  int objects_unused[3]; \
  Landmarks objects[kMaxLandmarkObjects]

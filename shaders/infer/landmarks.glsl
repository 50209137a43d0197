// The landmarks of what a frame shows; gst_plugin/infer/landmarks.h says what the members mean. A shader declares the
// buffer itself:
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

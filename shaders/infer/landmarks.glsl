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
  float blendshapes[kBlendshapes];
};

#define LANDMARKS          \
  int objects_count;       \
  int objects_blendshapes; \
  int objects_unused[2];   \
  Landmarks objects[kMaxLandmarkObjects]

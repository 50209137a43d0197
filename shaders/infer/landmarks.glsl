// The landmarks of the one face (or hand) in a frame; gst_plugin/infer/landmarks.h documents the members. Shaders
// declare the buffer themselves:
//   layout(std430, binding = 0) readonly buffer Landmarks { LANDMARKS };
#include "infer/landmarks.h"

#define LANDMARKS            \
  int landmarks_count;       \
  float landmarks_score;     \
  int landmarks_unused[2];   \
  vec4 landmarks[kMaxLandmarks]
